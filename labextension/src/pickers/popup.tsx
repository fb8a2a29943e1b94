import { ReactWidget } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { Boundary } from '../panels/boundary';
import { ChoiceList, type IChoiceListProps } from './choiceList';

/** Pixels between a list and the edges of the window. */
const MARGIN = 8;

/** Open a list below an element. It closes when something is chosen, by Escape, and by a click elsewhere. */
export function openChoiceList(anchor: Element, props: IChoiceListProps): void {
  const popup = new Popup(anchor, props);
  Widget.attach(popup, document.body);
  popup.place();
}

class Popup extends ReactWidget {
  constructor(anchor: Element, props: IChoiceListProps) {
    super();
    this._anchor = anchor;
    this._props = props;
    const focused = document.activeElement;
    this._focused = focused instanceof HTMLElement ? focused : null;
    this.addClass('msgbook-Popup');
    this.addClass('jp-ThemedContainer');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', props.label);
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

  private readonly _anchor: Element;
  private readonly _props: IChoiceListProps;
  private readonly _focused: HTMLElement | null;
}
