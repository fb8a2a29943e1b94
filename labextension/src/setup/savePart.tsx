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

/** The end of the form: it saves, and shows what it would write to whoever asks. */
export function SavePart(props: ISavePartProps): JSX.Element {
  const { trans, fields } = props;
  const { preview, backup, show, hide, save } = useSaving(props);
  const isFilled = fields.baseUrl !== '' && fields.model !== '';
  return (
    <>
      <div className="msgbook-Setup-row">
        <button
          className="jp-mod-styled jp-mod-accept"
          type="button"
          disabled={!isFilled}
          onClick={save}
        >
          {trans.__('Save')}
        </button>
        <button
          className="jp-mod-styled"
          type="button"
          disabled={!isFilled}
          aria-expanded={preview !== null}
          onClick={preview === null ? show : hide}
        >
          {preview === null
            ? trans.__('Show the New File')
            : trans.__('Hide the New File')}
        </button>
      </div>
      {preview !== null && <NewFile preview={preview} trans={trans} />}
      {backup !== null && <Saved {...props} backup={backup} />}
    </>
  );
}

interface ISaving {
  /** The change, if the person wants to see it. */
  readonly preview: IPreview | null;
  /** Name of the old file's copy, or empty; null if nothing has been saved. */
  readonly backup: string | null;
  readonly show: () => void;
  readonly hide: () => void;
  readonly save: () => void;
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
    run(trans.__('Reading the file…'), async () =>
      setPreview(await steps.preview(fields, key()))
    );
  const save = () =>
    run(trans.__('Saving…'), async () => {
      // What was shown is what is saved: if the file has changed since, the kernel refuses.
      const shown = preview ?? (await steps.preview(fields, key()));
      setBackup(await steps.save(fields, key(), shown));
      setPreview(null);
      if (field.current) {
        field.current.value = '';
      }
      props.saved();
    });
  return { preview, backup, show, hide: () => setPreview(null), save };
}

/** The new text of the file, with what is added marked. */
function NewFile({
  preview,
  trans
}: Pick<ISavePartProps, 'trans'> & {
  readonly preview: IPreview;
}): JSX.Element {
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
