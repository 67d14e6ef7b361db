/**
 * The input of a `PreToolUse` hook, as Claude Code writes it: the common fields, and for each tool the input that
 * https://code.claude.com/docs/en/hooks (sections "Common input fields" and "PreToolUse input") lists. Ids and paths
 * have the forms of real sessions; the texts stand in for theirs.
 */
const COMMON = {
  session_id: '8c35adc1-4f52-4b1c-9a1f-2b7c3f0a9d11',
  transcript_path: '/home/ada/.claude/projects/-home-ada-shop/8c35adc1-4f52-4b1c-9a1f-2b7c3f0a9d11.jsonl',
  cwd: '/home/ada/shop',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
};

const INPUTS = {
  Bash: {
    command: "psql -c 'DELETE FROM orders'",
    description: 'Empty the table of orders',
    timeout: 120_000,
    run_in_background: false,
  },
  Write: { file_path: '/home/ada/shop/src/total.ts', content: 'export const total = 0;\n' },
  Edit: {
    file_path: '/home/ada/shop/src/total.ts',
    old_string: 'total = 0',
    new_string: 'total = 1',
    replace_all: false,
  },
  WebFetch: { url: 'https://example.com/api', prompt: 'List the routes' },
  mcp__bank__send_payment: { to: 'DE02', euros: 120 },
} as const;

export type RecordedTool = keyof typeof INPUTS;

/** Ids of calls so far: each call of a tool has its own. */
let calls = 0;

/** A call of a tool, as its hook gets it. */
export function recordedCall(tool: RecordedTool = 'Bash', more: object = {}) {
  calls += 1;
  const id = `toolu_01DUx3vRzPqH5mT8yKwNc${String(calls).padStart(3, '0')}`;
  return { ...COMMON, tool_name: tool, tool_input: INPUTS[tool], tool_use_id: id, ...more };
}
