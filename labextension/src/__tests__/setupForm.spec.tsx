import { nullTranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { type JSONObject, PromiseDelegate } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import React from 'react';
import { SetupForm } from '../setup/setupForm';
import { SetupSteps } from '../setup/useSetup';

const CURRENT = {
  name: 'main',
  base_url: 'http://localhost:1/v1',
  key_from: 'none',
  model: 'm'
};

/** The form, with a kernel that answers a test when `tested` is resolved. */
class Shown extends ReactWidget {
  readonly tested = new PromiseDelegate<JSONObject>();

  button(text: string): HTMLButtonElement {
    return Array.from(this.node.querySelectorAll('button')).find(
      ({ textContent }) => textContent === text
    )!;
  }

  protected override render(): JSX.Element {
    return (
      <SetupForm
        steps={this._steps}
        trans={nullTranslator.load('msgbook')}
        saved={() => undefined}
        openChats={() => 1}
        restartChats={() => Promise.resolve()}
        newChat={() => undefined}
      />
    );
  }

  private _answer(name: string): Promise<JSONObject> {
    return name === 'setup.test'
      ? this.tested.promise
      : Promise.resolve({ current: CURRENT });
  }

  private readonly _steps = new SetupSteps(
    name => this._answer(name),
    () => Promise.resolve()
  );
}

/** Let React draw what has changed. */
async function drawn(): Promise<void> {
  for (let task = 0; task < 10; task++) {
    await new Promise(done => window.setTimeout(done));
  }
}

it('offers nothing that asks while a question is asked', async () => {
  const shown = new Shown();
  Widget.attach(shown, document.body);
  await drawn();
  shown.button('Save').click();
  await drawn();
  const asking = [
    'Save',
    'Show the New File',
    'Restart the Kernel of 1 Open Chat'
  ];
  const disabled = () => asking.map(text => shown.button(text).disabled);
  expect(disabled()).toEqual([false, false, false]);

  shown.button('Test').click();
  await drawn();
  expect(disabled()).toEqual([true, true, true]);

  shown.tested.resolve({ findings: [] });
  await drawn();
  expect(disabled()).toEqual([false, false, false]);
  shown.dispose();
});

it('hides the new file also while a question is asked', async () => {
  const shown = new Shown();
  Widget.attach(shown, document.body);
  await drawn();
  shown.button('Show the New File').click();
  await drawn();
  shown.button('Test').click();
  await drawn();

  shown.button('Hide the New File').click();
  await drawn();

  expect(shown.button('Show the New File').disabled).toBe(true);
  shown.dispose();
});
