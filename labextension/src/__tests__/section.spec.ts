import { isReadFromMessages } from '../plugins/files';

describe('a notebook that the server has read from an .md file', () => {
  it.each([
    [{ text_representation: { format_name: 'msg' } }],
    [{ formats: 'ipynb,md:msg' }],
    [{ formats: 'notebooks//ipynb, text//md:msg' }]
  ])('is a chat by %j', jupytext => {
    expect(isReadFromMessages({ jupytext })).toBe(true);
  });

  it.each([
    [undefined],
    ['md:msg'],
    [{ text_representation: { format_name: 'markdown' } }],
    [{ text_representation: null, formats: ['md:msg'] }],
    [{ formats: 'ipynb,.msg.md:msg' }],
    [{ formats: 'ipynb,md:msgs' }]
  ])('is no chat by %j', jupytext => {
    expect(isReadFromMessages({ jupytext })).toBe(false);
  });

  it('is no chat without metadata', () => {
    expect(isReadFromMessages(null)).toBe(false);
  });
});
