import { checkIcon, searchIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React, { useEffect, useId, useMemo, useRef, useState } from 'react';

import { errorText } from '../live/errorText';
import { visible } from '../turn/text';

/** One line of a list. Its texts may come from any file. */
export interface IChoice {
  /** What is chosen; null for none. */
  readonly value: string | null;
  readonly label: string;
  /** Shown beside the label. */
  readonly detail?: string;
  readonly isCurrent?: boolean;
}

/** The lines of a list, and what is said above them. */
export interface IChoices {
  readonly choices: readonly IChoice[];
  readonly notes: readonly string[];
}

export interface IChoiceListProps {
  /** Name of the list. */
  readonly label: string;
  readonly placeholder: string;
  /** Returns the lines; an error is shown in their place. */
  readonly load: () => Promise<IChoices>;
  /** Returns the line for a text that is in no line; without it, only lines can be chosen. */
  readonly other?: (text: string) => IChoice;
  readonly onChoose: (value: string | null) => void;
  readonly trans: TranslationBundle;
}

/** A list with a search. Arrow keys move in it, and Enter chooses. */
export function ChoiceList(props: IChoiceListProps): JSX.Element {
  const { label, placeholder, load, other, onChoose, trans } = props;
  const [found, setFound] = useState<IChoices | null>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();

  useEffect(() => {
    let isShown = true;
    load().then(
      loaded => isShown && setFound(loaded),
      (reason: unknown) =>
        isShown &&
        setFound({ choices: [], notes: [visible(errorText(reason))] })
    );
    return () => {
      isShown = false;
    };
  }, []);

  const lines = useMemo(() => fitting(found, text, other), [found, text]);
  const index = Math.min(active, lines.length - 1);
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  }, [index, lines]);

  const onKeyDown = (event: React.KeyboardEvent) => {
    const moved = movedTo(event.key, index, lines.length);
    if (moved !== null) {
      setActive(moved);
    } else if (event.key === 'Enter' && lines.length > 0) {
      onChoose(lines[index].value);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="msgbook-ChoiceList">
      <div className="msgbook-ChoiceList-search">
        <searchIcon.react tag="span" aria-hidden="true" />
        <input
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={lines.length > 0 ? `${id}${index}` : undefined}
          placeholder={placeholder}
          spellCheck={false}
          autoFocus
          value={text}
          onChange={event => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {found?.notes.map((note, number) => (
        <p key={number} className="msgbook-ChoiceList-note">
          {note}
        </p>
      ))}
      <ul id={id} ref={list} role="listbox" aria-label={label}>
        {lines.map((line, number) => (
          <Line
            key={number}
            id={`${id}${number}`}
            line={line}
            isActive={number === index}
            onChoose={onChoose}
          />
        ))}
      </ul>
      <p role="status" className="msgbook-ChoiceList-note">
        {found === null
          ? trans.__('Asking the kernel …')
          : lines.length === 0 && text !== ''
            ? trans.__('Nothing fits “%1”.', text)
            : ''}
      </p>
    </div>
  );
}

function Line(props: {
  readonly id: string;
  readonly line: IChoice;
  readonly isActive: boolean;
  readonly onChoose: (value: string | null) => void;
}): JSX.Element {
  const { id, line, isActive, onChoose } = props;
  return (
    <li
      id={id}
      role="option"
      aria-selected={line.isCurrent === true}
      className={isActive ? 'msgbook-mod-active' : undefined}
      // The search keeps the focus.
      onMouseDown={event => event.preventDefault()}
      onClick={() => onChoose(line.value)}
    >
      <span className="msgbook-ChoiceList-check">
        {line.isCurrent === true && <checkIcon.react tag="span" />}
      </span>
      <span className="msgbook-ChoiceList-label">{line.label}</span>
      <span className="msgbook-ChoiceList-detail">{line.detail}</span>
    </li>
  );
}

/** Return the lines in which all words of a search occur, best first. */
export function fitting(
  found: IChoices | null,
  text: string,
  other?: (text: string) => IChoice
): readonly IChoice[] {
  const searched = text.trim().toLowerCase();
  const choices = found?.choices ?? [];
  const parts = searched.split(/\s+/);
  const lines = choices.filter(({ label, detail }) => {
    const line = `${label} ${detail ?? ''}`.toLowerCase();
    return parts.every(part => line.includes(part));
  });
  const starts = (line: IChoice) =>
    line.label.toLowerCase().startsWith(searched) ? 0 : 1;
  const sorted =
    searched === '' ? lines : [...lines].sort((a, b) => starts(a) - starts(b));
  const isThere = choices.some(({ value }) => value === text.trim());
  return found === null || searched === '' || isThere || other === undefined
    ? sorted
    : [...sorted, other(text.trim())];
}

/** Return the index to which a key moves; null for a key that does not move. */
function movedTo(key: string, index: number, length: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, length - 1);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'PageDown':
      return Math.min(index + 10, length - 1);
    case 'PageUp':
      return Math.max(index - 10, 0);
    default:
      return null;
  }
}
