import React, { useEffect, useState } from 'react';
import { controlsVisible, visible } from '../turn/text';
import {
  fileLines,
  type IFields,
  type IFinding,
  type IPreview
} from './fields';
import type { ISetupFormProps } from './setupForm';
import type { Run } from './useSetup';
import type { TranslationBundle } from '@jupyterlab/translation';

export interface ISavePartProps extends ISetupFormProps {
  readonly fields: IFields;
  readonly field: React.RefObject<HTMLInputElement>;
  /** Whether a question is being asked; `run` asks one at a time. */
  readonly isBusy: boolean;
  readonly run: Run;
}

/** The end of the form: it saves, and shows what it would write to whoever asks. */
export function SavePart(props: ISavePartProps): JSX.Element {
  const { trans, fields, isBusy } = props;
  const { preview, backup, show, hide, save } = useSaving(props);
  const canAsk = !isBusy && fields.baseUrl !== '' && fields.model !== '';
  return (
    <>
      <div className="msgbook-Setup-row">
        <Button isMain disabled={!canAsk} onClick={save}>
          {trans.__('Save')}
        </Button>
        <Button
          disabled={preview === null && !canAsk}
          aria-expanded={preview !== null}
          onClick={preview === null ? show : hide}
        >
          {preview === null
            ? trans.__('Show the New File')
            : trans.__('Hide the New File')}
        </Button>
      </div>
      {preview !== null && <NewFile preview={preview} trans={trans} />}
      {backup !== null && <Saved {...props} backup={backup} />}
    </>
  );
}

interface IButtonProps extends React.ButtonHTMLAttributes<HTMLButtonElement> {
  /** Whether it is the one that most people want. */
  readonly isMain?: boolean;
}

/** A button with the look of JupyterLab's dialogs. */
export function Button({
  isMain = false,
  ...props
}: IButtonProps): JSX.Element {
  const look = isMain ? 'jp-mod-styled jp-mod-accept' : 'jp-mod-styled';
  return <button type="button" className={look} {...props} />;
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
  const { trans, backup, isBusy, run } = props;
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
        <Button isMain onClick={props.newChat}>
          {trans.__('New Chat')}
        </Button>
        {chats > 0 && (
          <Button disabled={isBusy} onClick={restart}>
            {trans._n(
              'Restart the Kernel of %1 Open Chat',
              'Restart the Kernels of %1 Open Chats',
              chats
            )}
          </Button>
        )}
      </div>
    </section>
  );
}

/** An error of the last question; nothing without one. */
export function Problem({ text }: { text: string }): JSX.Element | null {
  return text === '' ? null : (
    <p role="alert" className="msgbook-Setup-problem">
      {controlsVisible(text)}
    </p>
  );
}

/** What answers messages now. */
export function Connected(props: {
  readonly current: IFields | null;
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { current, trans } = props;
  if (current === null) {
    return null;
  }
  const { model, baseUrl } = current;
  return (
    <p role="note" className="msgbook-Setup-connected">
      {model === ''
        ? trans.__('Connected now: %1', visible(baseUrl))
        : trans.__('Connected now: %1 at %2', visible(model), visible(baseUrl))}
    </p>
  );
}

/** A warning about the environment, which goes before the file. */
export function Overriding(props: {
  readonly names: readonly string[];
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { names, trans } = props;
  if (names.length === 0) {
    return null;
  }
  const isDemo = names.length === 1 && names[0] === 'MSGBOOK_MODEL';
  return (
    <p className="msgbook-Setup-warning" role="note">
      {trans.__(
        'Set in the environment of JupyterLab: %1. This goes before what you save here.',
        names.map(visible).join(', ')
      )}{' '}
      {isDemo
        ? trans.__(
            'Start JupyterLab without it to use your model: with the command “jupyter lab”, not “msgbook demo”.'
          )
        : trans.__('Unset it before you start JupyterLab.')}
    </p>
  );
}

/** The findings of a test, one a line. */
export function Findings(props: {
  readonly findings: readonly IFinding[] | null;
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { findings, trans } = props;
  if (findings === null) {
    return null;
  }
  const labels = new Map([
    ['pass', trans.__('Pass')],
    ['fail', trans.__('Fail')],
    ['note', trans.__('Note')]
  ]);
  return (
    <ul
      className="msgbook-Setup-findings"
      aria-label={trans.__('Results of the test')}
    >
      {findings.map(({ check, status, words, advice }, index) => (
        <li key={index} data-status={status}>
          <strong>{labels.get(status) ?? trans.__('Unknown')}</strong>{' '}
          <span className="msgbook-Setup-check">{visible(check)}</span>{' '}
          {controlsVisible(words)}
          {advice !== '' && status !== 'pass' && (
            <div className="msgbook-Setup-hint">{controlsVisible(advice)}</div>
          )}
        </li>
      ))}
    </ul>
  );
}
