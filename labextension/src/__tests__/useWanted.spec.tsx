import { ReactWidget } from '@jupyterlab/ui-components';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { useWanted } from '../panels/contextRows';

function Box({ told }: { readonly told: { isOn: boolean } }): JSX.Element {
  const [isOn, want] = useWanted(told.isOn, told);
  return <input type="checkbox" checked={isOn} onChange={() => want(!isOn)} />;
}

class Shown extends ReactWidget {
  told = { isOn: true };

  protected override render(): JSX.Element {
    return <Box told={this.told} />;
  }
}

it('shows at once what a person wants, and then what the kernel tells', async () => {
  const shown = new Shown();
  Widget.attach(shown, document.body);
  const settled = async () => {
    MessageLoop.sendMessage(shown, Widget.Msg.UpdateRequest);
    for (let task = 0; task < 10; task++) {
      await new Promise(done => window.setTimeout(done));
    }
    return shown.node.querySelector('input')!.checked;
  };
  const tell = (isOn: boolean) => {
    shown.told = { isOn };
    return settled();
  };
  expect(await settled()).toBe(true);
  shown.node.querySelector('input')!.click();
  expect(await settled()).toBe(false);
  expect(await tell(false)).toBe(false);
  expect(await tell(true)).toBe(true);
  shown.node.querySelector('input')!.click();
  expect(await tell(true)).toBe(true);
  shown.dispose();
});
