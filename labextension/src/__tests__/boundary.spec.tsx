import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { Boundary } from '../panels/sidePanel';

const trans = nullTranslator.load('msgbook');

function Drawn({ texts }: { readonly texts: string[] | null }): JSX.Element {
  return <p>{texts!.map(text => text)}</p>;
}

class Shown extends ReactWidget {
  texts: string[] | null = [];

  protected override render(): JSX.Element {
    return (
      <Boundary trans={trans}>
        <Drawn texts={this.texts} />
      </Boundary>
    );
  }
}

it('shows words in place of what cannot be drawn, until that can be drawn again', async () => {
  const complained = jest.spyOn(console, 'error').mockReturnValue();
  const shown = new Shown();
  Widget.attach(shown, document.body);
  const draw = async (texts: string[] | null) => {
    shown.texts = texts;
    MessageLoop.sendMessage(shown, Widget.Msg.UpdateRequest);
    for (let task = 0; task < 10; task++) {
      await new Promise(done => window.setTimeout(done));
    }
    return shown.node.textContent;
  };
  expect(await draw(['well'])).toBe('well');
  expect(await draw(null)).toContain('cannot be shown');
  expect(await draw(['again'])).toBe('again');
  shown.dispose();
  complained.mockRestore();
});
