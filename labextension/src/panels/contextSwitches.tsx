import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type {
  IShownRequest,
  ISwitch,
  ISwitches,
  SwitchKind
} from '../comm/contextAnswers';
import { formatCount } from '../turn/wording';
import type { ContextModel } from './contextModel';
import { useWanted } from './contextRows';
import { inPageLanguage } from '../render/host';

interface ISwitchesProps {
  readonly model: ContextModel;
  readonly request: IShownRequest;
  readonly trans: TranslationBundle;
}

/** Rules, skills, macros, MCP servers and tools, each with a box that is checked if the model gets it. */
export function Switches(props: ISwitchesProps): JSX.Element {
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
  switch (kind) {
    case 'rules':
      return trans.__('Rules');
    case 'skills':
      return trans.__('Skills');
    case 'macros':
      return trans.__('Macros');
    case 'mcp_servers':
      return trans.__('MCP servers');
    case 'tools':
      return trans.__('Tools');
  }
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
