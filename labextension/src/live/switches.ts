import type { INotebookModel } from '@jupyterlab/notebook';
import type { JSONValue } from '@lumino/coreutils';
import type { ISwitch, ISwitches } from '../comm/contextAnswers';
import { asTexts } from '../turn/reading';
import { asOneChange, changeOurs, insertCell, oursOf } from './documentChanges';

/**
 * Let the model get something beside the cells, or not, by what a person could write as well; as one
 * change that can be undone.
 *
 * Rules, skills, servers and tools are names in the notebook's metadata. A macro is removed by a cell
 * `%macros -d` above the active one.
 */
export function setSwitch(
  model: INotebookModel,
  activeCell: number,
  group: ISwitches,
  { name }: ISwitch,
  isOn: boolean
): void {
  if (group.kind !== 'macros') {
    const change = listChange(group, name, isOn, oursOf(model) ?? {});
    asOneChange(model, () => changeOurs(model, change));
  } else if (!isOn) {
    const source = `%macros -d ${name}`;
    insertCell(model, activeCell, { cell_type: 'code', source });
  }
}

/**
 * Return the change of the notebook's metadata that switches a name.
 *
 * Names in the list that nothing has at the moment stay: the tools of a server that does not run have
 * to stay switched off.
 */
export function listChange(
  { kind, items }: ISwitches,
  name: string,
  isOn: boolean,
  ours: Readonly<Record<string, unknown>>
): Record<string, JSONValue | undefined> {
  const others = items.filter(item => item.name !== name && !item.is_fixed);
  const namesOf = (are: boolean) =>
    others.filter(item => item.is_on === are).map(item => item.name);
  const isDefault = kind === 'rules' || kind === 'skills';
  const key = isDefault ? kind : `disabled_${kind}`;
  const isListed = isDefault ? isOn : !isOn;
  const saved = namesIn(ours[key]);
  const [on, off] = [namesOf(true), namesOf(false)];
  const names = withName(saved, name, isListed, isDefault ? on : off);
  if (kind === 'rules') {
    // Without the key all rules are sent, also those to come.
    return { rules: isOn && off.length === 0 ? undefined : names };
  }
  return { [key]: names.length > 0 ? names : undefined };
}

/** Return the names in a list of the metadata; null for a list that is absent or cannot be read. */
function namesIn(value: unknown): string[] | null {
  if (typeof value === 'string') {
    return [value];
  }
  const names = asTexts(value);
  return Array.isArray(value) && names.length === value.length ? names : null;
}

/**
 * Return a list with a name, or without it.
 *
 * @param others - The other names that the list stands for now, in place of a wildcard.
 */
function withName(
  saved: readonly string[] | null,
  name: string,
  isListed: boolean,
  others: readonly string[]
): string[] {
  const list = saved ?? others;
  if (isListed) {
    return [...new Set([...list, name])];
  }
  const kept = list.filter(entry => entry !== name && !fits(name, entry));
  const isSpread = list.some(entry => entry !== name && fits(name, entry));
  return [...new Set([...kept, ...(isSpread ? others : [])])];
}

/** Return whether a name fits a pattern with the wildcards `*` and `?`. */
function fits(name: string, pattern: string): boolean {
  let at = 0;
  let star = -1;
  let tried = 0;
  for (let index = 0; index < name.length;) {
    if (pattern[at] === '*') {
      star = at++;
      tried = index;
    } else if (pattern[at] === '?' || pattern[at] === name[index]) {
      at++;
      index++;
    } else if (star !== -1) {
      at = star + 1;
      index = ++tried;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
