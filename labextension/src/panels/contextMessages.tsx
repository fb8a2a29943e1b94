import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IShownRequest } from '../comm/contextAnswers';
import { formatCount } from '../turn/wording';
import type { ContextModel } from './contextModel';
import { CellRow, MessageRow } from './contextRows';

interface IMessagesProps {
  readonly model: ContextModel;
  readonly request: IShownRequest;
  readonly trans: TranslationBundle;
}

/** What the request consists of: tools, system messages, and cells in their order. */
export function Messages(props: IMessagesProps): JSX.Element {
  const { model, request, trans } = props;
  return (
    <ul
      className="msgbook-Context-cells"
      aria-label={trans.__('Messages of the request')}
    >
      {request.tools.count > 0 && <ToolsRow {...props} />}
      {request.system.length > 0 && <SystemRow {...props} />}
      {request.cells.map((cell, index) => (
        <CellRow
          key={cell.id ?? 'next'}
          model={model}
          cell={cell}
          isPrompt={index === request.cells.length - 1}
          hash={request.hash}
          trans={trans}
        />
      ))}
    </ul>
  );
}

function ToolsRow({ request, trans }: IMessagesProps): JSX.Element {
  const { count, tokens } = request.tools;
  return (
    <li className="msgbook-Context-cell">
      <div className="msgbook-Context-part">
        <span>{trans._n('%1 tool', '%1 tools', count, count)}</span>
        <span className="msgbook-Context-tokens">{formatCount(tokens)}</span>
      </div>
    </li>
  );
}

function SystemRow({ model, request, trans }: IMessagesProps): JSX.Element {
  return (
    <li className="msgbook-Context-cell">
      {request.system.map(message => (
        <MessageRow
          key={message.index}
          model={model}
          message={message}
          hash={request.hash}
          trans={trans}
        />
      ))}
    </li>
  );
}
