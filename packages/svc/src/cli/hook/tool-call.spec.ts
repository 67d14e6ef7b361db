import { UsageError } from '../failures.js';
import { readToolCall } from './tool-call.js';

const GIVEN = {
  session_id: 's1',
  transcript_path: '/t.jsonl',
  cwd: '/home/ada/shop',
  permission_mode: 'plan',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'toolu_1',
};

describe('The call of a tool', () => {
  it("is read from a hook's input, with any other fields in it", () => {
    expect(readToolCall(JSON.stringify({ ...GIVEN, effort: { level: 'high' } }))).toEqual({
      tool: 'Bash',
      input: { command: 'ls' },
      id: 'toolu_1',
      folder: '/home/ada/shop',
      session: 's1',
      permissionMode: 'plan',
    });
    const { tool_name, tool_input, tool_use_id, hook_event_name } = GIVEN;
    const least = { tool_name, tool_input, tool_use_id, hook_event_name };
    expect(readToolCall(JSON.stringify(least))).toMatchObject({ folder: undefined, session: undefined });
  });

  it.each([
    ['', 'must be the JSON object'],
    ['[]', 'must be the JSON object'],
    [{ ...GIVEN, hook_event_name: 'PostToolUse' }, 'got PostToolUse'],
    [{ tool_name: 'Bash' }, 'got none'],
    [{ ...GIVEN, tool_name: 7 }, 'tool_name'],
    [{ ...GIVEN, tool_use_id: undefined }, 'tool_use_id'],
    [{ ...GIVEN, tool_input: 'ls' }, 'tool_input'],
    [JSON.stringify(GIVEN).replace('"ls"', '12345678901234567891'), 'digits'],
    [JSON.stringify(GIVEN).replace('"ls"', '[1e400]'), 'digits'],
  ])('is refused as %j', (given, reason) => {
    const reading = () => readToolCall(typeof given === 'string' ? given : JSON.stringify(given));
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(reason);
  });
});
