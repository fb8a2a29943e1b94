import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

interface IBoundaryProps {
  readonly trans: TranslationBundle;
  readonly children: React.ReactNode;
}

/** Shows words in place of what cannot be drawn, until there is something else to draw. */
export class Boundary extends React.Component<
  IBoundaryProps,
  { readonly isBroken: boolean }
> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidUpdate(
    before: IBoundaryProps,
    { isBroken }: { isBroken: boolean }
  ): void {
    if (isBroken && before.children !== this.props.children) {
      this.setState({ isBroken: false });
    }
  }

  override render(): React.ReactNode {
    return this.state.isBroken ? (
      <p className="msgbook-Boundary" role="alert">
        {this.props.trans.__(
          'This cannot be shown. The browser console says why.'
        )}
      </p>
    ) : (
      this.props.children
    );
  }
}
