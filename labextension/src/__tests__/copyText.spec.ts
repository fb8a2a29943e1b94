import { copyText } from '../render/dom';

describe('copyText', () => {
  const select = (node: Node) => window.getSelection()?.selectAllChildren(node);
  const ranges = () => window.getSelection()?.rangeCount;
  let button: HTMLButtonElement;
  let editor: HTMLElement;
  let text: HTMLElement;

  beforeEach(() => {
    // No browser: nothing is copied here.
    document.execCommand = () => true;
    document.body.innerHTML =
      '<button></button><p>read</p><div contenteditable="true" tabindex="0"><p>written</p></div>';
    button = document.querySelector('button') as HTMLButtonElement;
    editor = document.querySelector('div') as HTMLElement;
    text = document.querySelector('body > p') as HTMLElement;
    // JupyterLab's test environment makes ranges that select nothing; those of a selection are real.
    select(text);
    const range = window.getSelection()!.getRangeAt(0).cloneRange();
    window.getSelection()!.removeAllRanges();
    document.createRange = () => range.cloneRange();
  });

  it('takes the selection from an editor that was left: it would get the focus', () => {
    select(editor.firstChild as Node);
    button.focus();
    copyText('copied');
    expect(ranges()).toBe(0);
    expect(document.activeElement).toBe(button);
  });

  it('leaves what is selected in an answer, and in the editor that has the focus', () => {
    select(text);
    button.focus();
    copyText('copied');
    expect(window.getSelection()?.toString()).toBe('read');

    select(editor);
    editor.focus();
    copyText('copied');
    expect(ranges()).toBe(1);
  });
});
