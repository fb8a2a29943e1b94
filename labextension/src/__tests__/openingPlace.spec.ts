import { ActionWatch } from '../live/openingPlace';

describe('ActionWatch', () => {
  const act = (node: HTMLElement, name: string) =>
    node
      .appendChild(document.createElement('button'))
      .dispatchEvent(new Event(name));

  it.each(['keydown', 'pointerdown', 'touchstart', 'wheel'])(
    'notes %s anywhere in the notebook',
    name => {
      const node = document.createElement('div');
      const watch = new ActionWatch(node);
      expect(watch.hasActed).toBe(false);
      act(node, name);
      expect(watch.hasActed).toBe(true);
    }
  );

  it('takes no notice of what the page does itself, and of what comes later', () => {
    const node = document.createElement('div');
    const watch = new ActionWatch(node);
    act(node, 'focus');
    act(node, 'scroll');
    watch.dispose();
    act(node, 'keydown');
    expect(watch.hasActed).toBe(false);
  });
});
