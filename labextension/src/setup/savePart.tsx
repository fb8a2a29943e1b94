import React, { useEffect, useState } from 'react';

import { controlsVisible, visible } from '../turn/text';
import { fileLines, type IFields } from './fields';
import type { ISetupFormProps } from './setupForm';
import type { Run } from './useSetup';
import type { IPreview } from './setupSteps';

export interface ISavePartProps extends ISetupFormProps {
  readonly fields: IFields;
  readonly field: React.RefObject<HTMLInputElement>;
  readonly run: Run;
}

/** The end of the form: the text of the file, which is saved when it has been seen. */
export function SavePart(props: ISavePartProps): JSX.Element {
  const { trans, fields } = props;
  const { preview, backup, show, save, cancel } = useSaving(props);
  if (backup !== null) {
    return <Saved {...props} backup={backup} />;
  }
  if (preview !== null) {
    return (
      <NewFile preview={preview} save={save} cancel={cancel} trans={trans} />
    );
  }
  return (
    <button
      className="jp-mod-styled jp-mod-accept"
      type="button"
      disabled={fields.baseUrl === '' || fields.model === ''}
      onClick={show}
    >
      {trans.__('Show What Is Saved')}
    </button>
  );
}

interface ISaving {
  /** The change that the person sees; null for none. */
  readonly preview: IPreview | null;
  /** Name of the old file's copy, or empty; null if nothing has been saved. */
  readonly backup: string | null;
  readonly show: () => void;
  readonly save: () => void;
  readonly cancel: () => void;
}

function useSaving(props: ISavePartProps): ISaving {
  const { steps, trans, fields, field, run } = props;
  const [preview, setPreview] = useState<IPreview | null>(null);
  const [backup, setBackup] = useState<string | null>(null);
  const key = () => field.current?.value ?? '';
  useEffect(() => {
    setPreview(null);
    setBackup(null);
  }, [fields]);

  const show = () =>
    run(trans.__('Reading the file…'), async () => {
      setBackup(null);
      setPreview(await steps.preview(fields, key()));
    });
  const save = () =>
    run(trans.__('Saving…'), async () => {
      setBackup(await steps.save(fields, key(), preview!.digest));
      setPreview(null);
      if (field.current) {
        field.current.value = '';
      }
      props.saved();
    });
  return { preview, backup, show, save, cancel: () => setPreview(null) };
}

/** The new text of the file, with what is added marked. */
function NewFile(
  props: Pick<ISaving, 'save' | 'cancel'> &
    Pick<ISavePartProps, 'trans'> & { readonly preview: IPreview }
): JSX.Element {
  const { preview, save, cancel, trans } = props;
  return (
    <section aria-label={trans.__('The new file')}>
      <p>{trans.__('%1 will be:', visible(preview.path))}</p>
      <pre className="msgbook-Setup-file" tabIndex={0}>
        {fileLines(preview.old, preview.text).map(({ text, isNew }, index) =>
          isNew ? (
            <ins key={index}>{`${controlsVisible(text)}\n`}</ins>
          ) : (
            <span key={index}>{`${controlsVisible(text)}\n`}</span>
          )
        )}
      </pre>
      <div className="msgbook-Setup-row">
        <button
          className="jp-mod-styled jp-mod-accept"
          type="button"
          onClick={save}
        >
          {trans.__('Save')}
        </button>
        <button className="jp-mod-styled" type="button" onClick={cancel}>
          {trans.__('Cancel')}
        </button>
      </div>
    </section>
  );
}

/** What can be done with the new settings. */
function Saved(props: ISavePartProps & { readonly backup: string }) {
  const { trans, backup, run } = props;
  const [chats, setChats] = useState(props.openChats());
  const restart = () =>
    run(trans.__('Restarting…'), async () => {
      await props.restartChats();
      setChats(0);
    });
  return (
    <section
      aria-label={trans.__('Saved')}
      className="msgbook-Setup-saved"
      role="status"
    >
      <p>
        {trans.__('Saved. New chats use this model.')}{' '}
        {backup !== '' && trans.__('The old file is now %1.', backup)}
      </p>
      <div className="msgbook-Setup-row">
        <button
          className="jp-mod-styled jp-mod-accept"
          type="button"
          onClick={props.newChat}
        >
          {trans.__('New Chat')}
        </button>
        {chats > 0 && (
          <button className="jp-mod-styled" type="button" onClick={restart}>
            {trans._n(
              'Restart the Kernel of %1 Open Chat',
              'Restart the Kernels of %1 Open Chats',
              chats
            )}
          </button>
        )}
      </div>
    </section>
  );
}
