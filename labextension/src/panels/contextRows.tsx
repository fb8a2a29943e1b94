import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useState } from 'react';
import type {
  IRequestCell,
  IRequestMessage,
  IShownRequest,
  ISwitch,
  ISwitches,
  SwitchKind
} from '../comm/contextAnswers';
import { formatCount } from '../turn/wording';
import { plainTitle, errorText } from '../turn/text';
import type { ContextModel } from './contextModel';
import { inPageLanguage } from '../turn/kernelWords';

interface ICellProps {
  readonly model: ContextModel;
  readonly cell: IRequestCell;
  readonly isPrompt: boolean;
  /** Hash of the request: the texts of messages hold for it. */
  readonly hash: string;
  readonly trans: TranslationBundle;
}

/** A cell with its messages, or one that is left out. */
export function CellRow(props: ICellProps): JSX.Element {
  const { model, cell, isPrompt, trans } = props;
  const isSent = cell.history !== 'exclude';
  const title =
    cell.title === ''
      ? trans.__('(your next message)')
      : plainTitle(cell.title);
  return (
    <li
      className={`msgbook-Context-cell${isSent ? '' : ' msgbook-mod-excluded'}`}
    >
      <div className="msgbook-Context-cellHead">
        {isPrompt ? (
          <span className="msgbook-Context-toggle" />
        ) : (
          <Toggle {...props} />
        )}
        <button
          type="button"
          className="msgbook-Context-title"
          disabled={cell.id === null}
          onClick={() => void model.show(cell.id!)}
          title={trans.__('Go to cell %1', cell.number)}
        >
          <span className="msgbook-Context-number">{cell.number}</span>
          {title}
        </button>
        <Marks {...props} />
      </div>
      {cell.messages.map(message => (
        <MessageRow key={message.index} {...props} message={message} />
      ))}
    </li>
  );
}

/** A box that is checked if the cell is sent. */
function Toggle({ model, cell, trans }: ICellProps): JSX.Element {
  const [isSent, want] = useWanted(cell.history !== 'exclude', cell);
  return (
    <input
      type="checkbox"
      className="msgbook-Context-toggle"
      aria-label={trans.__('Send cell %1', cell.number)}
      title={
        cell.by_line
          ? trans.__(
              'The %1 line of the cell decides whether it is sent',
              '%%msg'
            )
          : isSent
            ? trans.__('Send this cell no longer')
            : trans.__('Send this cell again')
      }
      checked={isSent}
      disabled={cell.by_line || cell.id === null}
      onChange={() => {
        want(!isSent);
        model.include(cell.id!, !isSent);
      }}
    />
  );
}

function Marks({ cell, trans }: ICellProps): JSX.Element {
  const isJoined = cell.history === 'include' && cell.messages.length === 0;
  return (
    <>
      {cell.history === 'exclude' && (
        <span className="msgbook-Context-mark">{trans.__('excluded')}</span>
      )}
      {cell.history === 'summary' && (
        <span className="msgbook-Context-mark">{trans.__('summed up')}</span>
      )}
      {isJoined && cell.kind === 'note' && (
        <span className="msgbook-Context-mark">
          {trans.__('in the system message')}
        </span>
      )}
      {cell.is_stale && (
        <span className="msgbook-Context-mark msgbook-mod-stale">
          {trans.__('stale')}
        </span>
      )}
    </>
  );
}

interface IMessageProps {
  readonly model: ContextModel;
  readonly message: IRequestMessage;
  readonly hash: string;
  readonly trans: TranslationBundle;
}

/** A message: its role and size; its text, once it is opened. */
export function MessageRow(props: IMessageProps): JSX.Element {
  const { message, hash, trans } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="msgbook-Context-message"
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="msgbook-Context-role">
          {describeRole(message.role, trans)}
        </span>
        {message.kept > 0 && (
          <span className="msgbook-Context-kept">
            {message.kept === 1
              ? trans.__('cached')
              : trans.__('partly cached')}
          </span>
        )}
        <span className="msgbook-Context-tokens">
          {formatCount(message.tokens)}
        </span>
      </summary>
      {isOpen && (
        // Another request may have another message in this place.
        <MessageText key={hash} {...props} />
      )}
    </details>
  );
}

function MessageText({ model, message, trans }: IMessageProps): JSX.Element {
  const { index } = message;
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isShown = true;
    const show = (text: string) => isShown && setText(text);
    model.readMessage(index).then(show, error => show(errorText(error)));
    return () => {
      isShown = false;
    };
  }, [model, index]);
  return (
    <pre className="msgbook-Context-text" tabIndex={0}>
      {text ?? trans.__('Asking the kernel…')}
    </pre>
  );
}

function describeRole(role: string, trans: TranslationBundle): string {
  const words = new Map([
    ['system', trans.__('system')],
    ['user', trans.__('user')],
    ['assistant', trans.__('assistant')],
    ['tool', trans.__('tool result')]
  ]);
  return words.get(role) ?? role;
}

/** A request, and the model that changes what it consists of. */
export interface IRequestProps {
  readonly model: ContextModel;
  readonly request: IShownRequest;
  readonly trans: TranslationBundle;
}

/** What the request consists of: tools, system messages, and cells in their order. */
export function Messages(props: IRequestProps): JSX.Element {
  const { request, trans } = props;
  return (
    <ul
      className="msgbook-Context-cells"
      aria-label={trans.__('Messages of the request')}
    >
      {request.tools.count > 0 && <ToolsRow {...props} />}
      {request.system.length > 0 && <SystemRow {...props} />}
      {request.cells.map((cell, index) => (
        <CellRow
          key={cell.id ?? 'next'}
          {...props}
          cell={cell}
          isPrompt={index === request.cells.length - 1}
          hash={request.hash}
        />
      ))}
    </ul>
  );
}

function ToolsRow({ request, trans }: IRequestProps): JSX.Element {
  const { count, tokens } = request.tools;
  return (
    <li className="msgbook-Context-cell">
      <div className="msgbook-Context-part">
        <span>{trans._n('%1 tool', '%1 tools', count, count)}</span>
        <span className="msgbook-Context-tokens">{formatCount(tokens)}</span>
      </div>
    </li>
  );
}

function SystemRow(props: IRequestProps): JSX.Element {
  const { hash, system } = props.request;
  return (
    <li className="msgbook-Context-cell">
      {system.map(message => (
        <MessageRow
          key={message.index}
          {...props}
          message={message}
          hash={hash}
        />
      ))}
    </li>
  );
}

/**
 * Return what a box shows, and how a person sets it: at once as it was set, until the kernel has told of it.
 *
 * @param told - What holds `isOn`, another object each time the kernel tells of it.
 */
export function useWanted(
  isOn: boolean,
  told: object
): [boolean, (wanted: boolean) => void] {
  const [wanted, want] = React.useState<boolean | null>(null);
  React.useEffect(() => want(null), [told]);
  return [wanted ?? isOn, want];
}

/** Rules, skills, macros, MCP servers and tools, each with a box that is checked if the model gets it. */
export function Switches(props: IRequestProps): JSX.Element {
  const { model, request, trans } = props;
  return (
    <section
      className="msgbook-Context-switches"
      aria-label={trans.__('Rules, skills, macros and tools')}
    >
      {request.switches.map(group => (
        <details key={group.kind} className="msgbook-Context-group">
          <summary>
            <span>{describeKind(group.kind, trans)}</span>
            <span className="msgbook-Context-tokens">
              {trans.__(
                '%1 of %2',
                group.items.filter(item => item.is_on).length,
                group.items.length
              )}
            </span>
          </summary>
          <p className="msgbook-Context-hint">{describeEffect(group, trans)}</p>
          <ul>
            {group.items.map(item => (
              <Switch
                key={item.name}
                item={item}
                isFixed={item.is_fixed || group.by !== ''}
                onChange={isOn => model.turn(group, item, isOn)}
                trans={trans}
              />
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Switch({
  item,
  isFixed,
  onChange,
  trans
}: {
  readonly item: ISwitch;
  readonly isFixed: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly trans: TranslationBundle;
}): JSX.Element {
  const [isOn, want] = useWanted(item.is_on, item);
  return (
    <li className="msgbook-Context-switch">
      <label>
        <input
          type="checkbox"
          className="msgbook-Context-toggle"
          checked={isOn}
          disabled={isFixed}
          onChange={() => {
            want(!isOn);
            onChange(!isOn);
          }}
        />
        <span className="msgbook-Context-switchName">{item.shown}</span>
        {item.tokens !== null && (
          <span className="msgbook-Context-tokens">
            {formatCount(item.tokens)}
          </span>
        )}
      </label>
      <p className="msgbook-Context-hint">
        {item.note === ''
          ? trans.__('from %1', item.origin)
          : trans.__(
              'from %1: %2',
              item.origin,
              inPageLanguage(item.note, trans)
            )}
      </p>
    </li>
  );
}

function describeKind(kind: SwitchKind, trans: TranslationBundle): string {
  return {
    rules: trans.__('Rules'),
    skills: trans.__('Skills'),
    macros: trans.__('Macros'),
    mcp_servers: trans.__('MCP servers'),
    tools: trans.__('Tools')
  }[kind];
}

/** Return what a box changes, and where that is saved. */
function describeEffect(
  { kind, by, items }: ISwitches,
  trans: TranslationBundle
): string {
  if (items.length === 0) {
    return trans.__('There are none here.');
  }
  if (by !== '') {
    return trans.__('Chosen by %1, whose definition decides.', by);
  }
  switch (kind) {
    case 'rules':
    case 'skills':
      return trans.__(
        'Saved as `%1` in the metadata of this notebook, for all agents that choose none themselves.',
        kind
      );
    case 'macros':
      return trans.__(
        'A box that is cleared inserts a cell `%macros -d NAME` above the active one. Undo takes it back.'
      );
    default:
      return trans.__(
        'Saved as `%1` in the metadata of this notebook. This only takes away: what your settings or the agent leave out stays out.',
        `disabled_${kind}`
      );
  }
}
