import { checkIcon, ReactWidget, searchIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React, { useEffect, useId, useMemo, useRef, useState } from 'react';
import { Boundary } from '../panels/sidePanel';
import type { TranslationBundle } from '@jupyterlab/translation';
import { errorText, visible } from '../turn/text';
import { fitting, type IChoice, type IChoices, movedTo } from './agents';

/** Pixels between a list and the edges of the window. */
const MARGIN = 8;

/** Open a list below an element. It closes when something is chosen, by Escape, and by a click elsewhere. */
export function openChoiceList(anchor: Element, props: IChoiceListProps): void {
  const popup = new Popup(anchor, props);
  Widget.attach(popup, document.body);
  popup.place();
}

class Popup extends ReactWidget {
  constructor(
    private readonly _anchor: Element,
    private readonly _props: IChoiceListProps
  ) {
    super();
    const focused = document.activeElement;
    this._focused = focused instanceof HTMLElement ? focused : null;
    this.addClass('msgbook-Popup');
    this.addClass('jp-ThemedContainer');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', this._props.label);
  }

  /** Put the list below its anchor, or above it if there is more room. */
  place(): void {
    const { left, right, top, bottom } = this._anchor.getBoundingClientRect();
    const { style } = this.node;
    const below = window.innerHeight - bottom - MARGIN;
    const isBelow = below >= Math.min(320, top - MARGIN);
    style.maxHeight = `${Math.max(isBelow ? below : top - MARGIN, 120)}px`;
    style.top = isBelow ? `${bottom + 2}px` : '';
    style.bottom = isBelow ? '' : `${window.innerHeight - top + 2}px`;
    const width = this.node.offsetWidth;
    const isRtl = getComputedStyle(document.body).direction === 'rtl';
    const start = isRtl ? right - width : left;
    const end = window.innerWidth - width - MARGIN;
    style.left = `${Math.max(MARGIN, Math.min(start, end))}px`;
  }

  protected override render(): JSX.Element {
    return (
      <Boundary trans={this._props.trans}>
        <ChoiceList
          {...this._props}
          onChoose={value => {
            this._close();
            this._props.onChoose(value);
          }}
        />
      </Boundary>
    );
  }

  protected override onAfterAttach(): void {
    super.onAfterAttach(undefined as never);
    document.addEventListener('pointerdown', this._onPointer, true);
    this.node.addEventListener('keydown', this._onKey);
    this.node.addEventListener('focusout', this._onFocusOut);
    window.addEventListener('resize', this._onResize);
  }

  protected override onBeforeDetach(): void {
    document.removeEventListener('pointerdown', this._onPointer, true);
    this.node.removeEventListener('keydown', this._onKey);
    this.node.removeEventListener('focusout', this._onFocusOut);
    window.removeEventListener('resize', this._onResize);
    super.onBeforeDetach(undefined as never);
  }

  private readonly _onPointer = (event: Event): void => {
    if (!this.node.contains(event.target as Node)) {
      this.dispose();
    }
  };

  private readonly _onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      this._close();
      event.stopPropagation();
    }
  };

  private readonly _onFocusOut = (event: FocusEvent): void => {
    const to = event.relatedTarget as Node | null;
    if (to !== null && !this.node.contains(to)) {
      this.dispose();
    }
  };

  private readonly _onResize = (): void => this.place();

  private _close(): void {
    this.dispose();
    this._focused?.focus({ preventScroll: true });
  }

  private readonly _focused: HTMLElement | null;
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
  const found = useLoaded(load);
  const [text, setText] = useState('');
  const lines = useMemo(() => fitting(found, text, other), [found, text]);
  const { list, index, setActive } = useActiveLine(lines);
  const id = useId();
  return (
    <div className="msgbook-ChoiceList">
      <Search
        label={label}
        placeholder={placeholder}
        text={text}
        listId={id}
        activeId={lines.length > 0 ? `${id}${index}` : undefined}
        onText={changed => {
          setText(changed);
          setActive(0);
        }}
        onKeyDown={event => onKey(event, lines, index, setActive, onChoose)}
      />
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
        {statusOf(found, lines, text, trans)}
      </p>
    </div>
  );
}

/** Return what is loaded when the list appears, or why it is not; null until then. */
function useLoaded(load: () => Promise<IChoices>): IChoices | null {
  const [found, setFound] = useState<IChoices | null>(null);
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
  return found;
}

/** Return the index of the active line, what sets it, and the reference of the list, which scrolls to it. */
function useActiveLine(lines: readonly IChoice[]): {
  readonly list: React.RefObject<HTMLUListElement>;
  readonly index: number;
  readonly setActive: (index: number) => void;
} {
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const index = Math.min(active, lines.length - 1);
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  }, [index, lines]);
  return { list, index, setActive };
}

/** Move to another line, or choose the active one; leave other keys alone. */
function onKey(
  event: React.KeyboardEvent,
  lines: readonly IChoice[],
  index: number,
  setActive: (index: number) => void,
  onChoose: (value: string | null) => void
): void {
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
}

function Search(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly listId: string;
  /** Id of the active line; undefined without lines. */
  readonly activeId: string | undefined;
  readonly onText: (text: string) => void;
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
}): JSX.Element {
  return (
    <div className="msgbook-ChoiceList-search">
      <searchIcon.react tag="span" aria-hidden="true" />
      <input
        role="combobox"
        aria-label={props.label}
        aria-expanded="true"
        aria-controls={props.listId}
        aria-activedescendant={props.activeId}
        placeholder={props.placeholder}
        spellCheck={false}
        autoFocus
        value={props.text}
        onChange={event => props.onText(event.target.value)}
        onKeyDown={props.onKeyDown}
      />
    </div>
  );
}

/** Return what is said below the list: that it is loading, or that nothing fits. */
function statusOf(
  found: IChoices | null,
  lines: readonly IChoice[],
  text: string,
  trans: TranslationBundle
): string {
  if (found === null) {
    return trans.__('Asking the kernel …');
  }
  return lines.length === 0 && text !== ''
    ? trans.__('Nothing fits “%1”.', text)
    : '';
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
