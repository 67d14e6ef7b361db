import type { Approval } from '@agent-control-plane/client';
import { frozenJson } from '@agent-control-plane/client/internal/runtime/canonical-json';
import { askedThere, decidedAnswer } from './hook-answer.js';
import type { ToolCall } from './tool-call.js';

const INPUT = { command: 'ls' };
const CALL: ToolCall = {
  ...{ tool: 'Bash', input: INPUT, id: 'toolu_1', folder: '/', session: 's', permissionMode: 'default' },
};

/** The output of the hook for an approval. */
function outputFor(approval: Partial<Approval>) {
  const args_sha256 = frozenJson(INPUT).sha256;
  const shown = { action: { name: 'Bash', args: INPUT }, args_sha256, reason: null, ...approval };
  return decidedAnswer(shown as Approval, CALL)?.hookSpecificOutput;
}

describe('The answer of a hook', () => {
  it('allows exactly the approved arguments', () => {
    expect(outputFor({ state: 'approved', reason: 'it is right' })).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: 'Approved: it is right',
    });
    const other = frozenJson({ command: 'rm' }).sha256;
    expect(outputFor({ state: 'approved', args_sha256: other })).toMatchObject({
      permissionDecision: 'deny',
    });
    const action = { name: 'Write', args: INPUT };
    expect(outputFor({ state: 'approved', action })).toMatchObject({ permissionDecision: 'deny' });
  });

  it("gives the edited arguments, and denies those that a tool can't take", () => {
    const edited_args = { command: 'ls -l' };
    expect(outputFor({ state: 'edited', edited_args })).toMatchObject({
      permissionDecision: 'allow',
      updatedInput: edited_args,
      additionalContext: expect.stringContaining('changed'),
    });
    for (const none of ['ls', ['ls'], null])
      expect(outputFor({ state: 'edited', edited_args: none } as never)).toMatchObject({
        permissionDecision: 'deny',
      });
  });

  it.each([
    [{ state: 'rejected', reason: 'not now' }, 'This call was rejected: not now'],
    [
      { state: 'responded', response: 'Use the copy' },
      'This call was not allowed; the answer is: Use the copy',
    ],
    [{ state: 'withdrawn' }, 'The question about this call was withdrawn'],
  ] as const)('denies in words: %j', (approval, permissionDecisionReason) => {
    expect(outputFor(approval)).toMatchObject({ permissionDecision: 'deny', permissionDecisionReason });
  });

  it('is empty until a person decides', () => {
    expect(outputFor({ state: 'pending' })).toBeUndefined();
    expect(outputFor({ state: 'expired' })).toBeUndefined();
  });

  it.each([
    ['default', 'ask'],
    ['plan', 'ask'],
    ['acceptEdits', 'ask'],
    ['bypassPermissions', 'deny'],
    ['dontAsk', 'deny'],
    [undefined, 'deny'],
  ])('leaves it to the person only where the mode %p asks one', (permissionMode, permissionDecision) => {
    expect(askedThere('late', { ...CALL, permissionMode }).hookSpecificOutput).toMatchObject({
      permissionDecision,
      permissionDecisionReason: 'late',
    });
  });
});
