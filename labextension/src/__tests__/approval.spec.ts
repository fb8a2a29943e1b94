import { parseQuestion } from '../comm/approvalMessages';
import { draftOf } from '../render/draft';
import { withQuestions } from '../render/turnRenderer';
import { ASK, openQuestions } from './asked';

describe('parseQuestion', () => {
  it('takes only choices that it knows, and texts that are texts', () => {
    const question = parseQuestion({
      ...ASK,
      choices: ['rule', 'sudo', 'once', 1],
      reason: { toString: 1 },
      preview: undefined
    });
    expect(question).toMatchObject({
      choices: ['once', 'rule'],
      reason: '',
      preview: '',
      arguments: ASK.arguments
    });
  });

  it.each(['request_id', 'cell_id', 'call_id', 'name', 'arguments'])(
    'is nothing without %s',
    key => {
      expect(parseQuestion({ ...ASK, [key]: undefined })).toBeNull();
      expect(parseQuestion({ ...ASK, [key]: ['x'] })).toBeNull();
    }
  );
});

describe('Approvals', () => {
  it('gives one answer, with the arguments that were shown', () => {
    const { approvals, sent, ask } = openQuestions();
    ask();
    const [question] = approvals.questionsOf('a');
    approvals.answer(question, 'once', 'not sent');
    approvals.answer(question, 'no');
    expect(sent).toEqual([
      {
        type: 'approval.answer',
        request_id: 'r1',
        decision: 'once',
        arguments: ASK.arguments
      }
    ]);
    expect(approvals.questionsOf('a')).toEqual([]);
  });

  it('says why not', () => {
    const { approvals, sent, ask } = openQuestions();
    ask();
    approvals.answer(approvals.questionsOf('a')[0], 'no', 'not that file');
    expect(sent[0]).toMatchObject({ decision: 'no', reason: 'not that file' });
  });

  it('keeps a question that could not be answered', () => {
    const { approvals, ask } = openQuestions(false);
    ask();
    approvals.answer(approvals.questionsOf('a')[0], 'once');
    expect(approvals.questionsOf('a')).toHaveLength(1);
  });

  it('shows a question in its own cell, and not in other notebooks', () => {
    const { approvals, ask } = openQuestions();
    ask();
    ask({ request_id: 'r2', cell_id: 'b' });
    ask({ request_id: 'r3', cell_id: 'elsewhere' });
    expect(approvals.questionsOf('a').map(q => q.requestId)).toEqual(['r1']);
    expect(approvals.questionsOf('b').map(q => q.requestId)).toEqual(['r2']);
    expect(approvals.all).toHaveLength(2);
  });

  it('keeps a question that is sent again as it was shown', () => {
    const { approvals, ask } = openQuestions();
    ask();
    const [question] = approvals.questionsOf('a');
    ask({ arguments: '{"path": "other"}' });
    expect(approvals.questionsOf('a')).toEqual([question]);
    expect(approvals.questionsOf('a')[0]).toBe(question);
  });

  it('tells of an answer that came too late, and of words that were not sent', () => {
    const { approvals, told, ask, say } = openQuestions();
    ask();
    approvals.answer(approvals.all[0], 'edit', '{"path": "b"}');
    say('closed', 'r1');
    say('late', 'r1');
    say('late', 'r1');
    expect(told).toEqual([{ isAnswer: true, words: '{"path": "b"}' }]);

    ask({ request_id: 'r2' });
    draftOf(approvals.all[0]).begin('{}');
    say('closed', 'r2');
    expect(told).toHaveLength(1);
    ask({ request_id: 'r3' });
    draftOf(approvals.all[0]).begin('{}');
    draftOf(approvals.all[0]).arguments = '{"a"';
    say('closed', 'r3');
    expect(told[1]).toEqual({ isAnswer: false, words: '{"a"' });
  });

  it('tells of each of several answers that came too late, whatever their order', () => {
    const { approvals, told, ask, say } = openQuestions();
    for (const request_id of ['r1', 'r2', 'r3']) {
      ask({ request_id });
      approvals.answer(approvals.all[0], 'no', `words of ${request_id}`);
    }
    for (const request_id of ['r2', 'r1']) {
      say('late', request_id);
    }
    expect(told.map(({ words }) => words)).toEqual([
      'words of r2',
      'words of r1'
    ]);
    approvals.clear();
    say('late', 'r3');
    expect(told).toHaveLength(2);
  });

  it('closes what was answered elsewhere, and all when the kernel is gone', () => {
    const { approvals, sent, refreshed, ask, say } = openQuestions();
    ask();
    ask({ request_id: 'r2' });
    const [first] = approvals.questionsOf('a');
    say('closed', 'r1');
    expect(approvals.questionsOf('a')).toHaveLength(1);
    approvals.clear();
    expect(approvals.questionsOf('a')).toHaveLength(0);
    approvals.answer(first, 'once');
    expect(sent).toEqual([]);
    expect(refreshed).toEqual(['a', 'a', 'a', 'a']);
  });
});

describe('withQuestions', () => {
  const call = (id: string) => ({ type: 'tool_call', id });
  const question = parseQuestion(ASK)!;

  it('asks at the last call with the id, as servers use ids again', () => {
    const blocks = [call('call_1'), { type: 'tool_result', id: 'call_1' }];
    const last = call('call_1');
    expect(
      withQuestions([...blocks, last, call('call_2')], [question])
    ).toEqual([
      { block: blocks[0], asked: [] },
      { block: blocks[1], asked: [] },
      { block: last, question, asked: [] },
      { block: call('call_2'), asked: [] }
    ]);
  });

  it('asks where the asker is, whatever ids a model gives its calls', () => {
    const blocks = [
      call('u1/c'),
      { type: 'tool_result', agents: [{ uuid: 'u1', status: 'running' }] }
    ];
    const own = parseQuestion({ ...ASK, call_id: 'u1/c' })!;
    const fromSubagent = parseQuestion({
      ...ASK,
      call_id: 'u1/c',
      asker: ['Docs']
    })!;
    const lost = parseQuestion({ ...ASK, call_id: 'u2/c', asker: ['Docs'] })!;
    const asked = withQuestions(
      [...blocks, call('u2/c')],
      [own, fromSubagent, lost]
    );
    expect(asked.map(({ question }) => question)).toEqual([
      own,
      undefined,
      undefined,
      lost
    ]);
    expect(asked[1].asked).toEqual([fromSubagent]);
  });

  it('asks at the end when the call is not there', () => {
    expect(withQuestions([{ type: 'text' }], [question])[1]).toEqual({
      block: { type: 'tool_call' },
      question,
      asked: []
    });
  });
});
