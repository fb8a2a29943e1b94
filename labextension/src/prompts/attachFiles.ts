import { Prec, type Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { Drag } from '@lumino/dragdrop';

import type { Attachments } from './attachments';
import { holdsPrompt } from './promptLook';

/** What JupyterLab's file browser gives: a list of paths. */
const PATHS = 'application/x-jupyter-icontents';
const DRAGS = ['lm-dragenter', 'lm-dragover', 'lm-drop'];

/**
 * Let files be pasted and dropped into a prompt, also from the file browser; a reference to each is
 * inserted.
 *
 * @param isOn - Returns whether the notebook is a chat.
 */
export function attachFiles(
  attachments: Attachments,
  isOn: () => boolean
): Extension {
  const plugin = ViewPlugin.define(
    view => new FileTarget(view, attachments, isOn)
  );
  const take = (data: DataTransfer | null, view: EditorView, at: number) => {
    const files = Array.from(data?.files ?? []);
    // Office programs put a picture of a text beside the text.
    if (files.length === 0 || data?.types.includes('text/plain') === true) {
      return false;
    }
    return view.plugin(plugin)?.attach(files, at) ?? false;
  };
  return [
    plugin,
    Prec.highest(
      EditorView.domEventHandlers({
        paste: (event, view) =>
          take(event.clipboardData, view, view.state.selection.main.from),
        drop: (event, view) =>
          take(event.dataTransfer, view, placeOf(view, event))
      })
    )
  ];
}

function placeOf(
  view: EditorView,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number }
): number {
  return view.posAtCoords({ x: clientX, y: clientY }, false);
}

/** Takes files for the prompt of an editor, and knows where they go when the text has changed meanwhile. */
class FileTarget {
  constructor(view: EditorView, attachments: Attachments, isOn: () => boolean) {
    this._view = view;
    this._attachments = attachments;
    this._isOn = isOn;
    DRAGS.forEach(type => view.dom.addEventListener(type, this));
  }

  destroy(): void {
    this._isDestroyed = true;
    DRAGS.forEach(type => this._view.dom.removeEventListener(type, this));
  }

  update({ docChanged, changes }: ViewUpdate): void {
    if (docChanged) {
      this._places.forEach(place => (place.at = changes.mapPos(place.at, 1)));
    }
  }

  /** Attach files at a place of the prompt; return false where none can be. */
  attach(files: readonly File[], at: number): boolean {
    if (!this._takesFiles()) {
      return false;
    }
    void this._insert(at, this._attachments.save(files));
    return true;
  }

  handleEvent(event: Event): void {
    const drag = event as Drag.Event;
    if (!drag.mimeData.hasData(PATHS) || !this._takesFiles()) {
      return;
    }
    drag.preventDefault();
    drag.stopPropagation();
    if (drag.type === 'lm-dragenter') {
      return;
    }
    drag.dropAction = drag.proposedAction;
    if (drag.type === 'lm-drop' && drag.proposedAction !== 'none') {
      const paths = drag.mimeData.getData(PATHS) as string[];
      const at = placeOf(this._view, drag);
      void this._insert(at, this._attachments.refer(paths));
    }
  }

  private _takesFiles(): boolean {
    const { state } = this._view;
    return this._isOn() && !state.readOnly && holdsPrompt(state);
  }

  private async _insert(
    at: number,
    coming: Promise<readonly string[]>
  ): Promise<void> {
    const place = { at };
    this._places.add(place);
    const references = await coming;
    this._places.delete(place);
    if (this._isDestroyed || references.length === 0) {
      return;
    }
    const { doc } = this._view.state;
    const before = doc.sliceString(place.at - 1, place.at);
    const gap = /^\S$/.test(before) ? ' ' : '';
    const insert = `${gap}${references.join(' ')}`;
    this._view.dispatch({
      changes: { from: place.at, insert },
      selection: { anchor: place.at + insert.length },
      scrollIntoView: true,
      userEvent: 'input.drop'
    });
    this._view.focus();
  }

  private readonly _view: EditorView;
  private readonly _attachments: Attachments;
  private readonly _isOn: () => boolean;
  private readonly _places = new Set<{ at: number }>();
  private _isDestroyed = false;
}
