import { defineCommand } from '../command.js';
import { UsageError } from '../failures.js';
import { McpBridge } from '../mcp/mcp-bridge.js';
import { filled } from '../option-values.js';

interface McpOptions {
  readonly isReadOnly: boolean;
  readonly toolsets: string | undefined;
}

export const command = defineCommand<McpOptions>({
  options: [
    { flags: '--read-only', description: 'list and call no tool that acts' },
    {
      flags: '--toolsets <names>',
      description:
        'only these kinds of tools: agents,runs. There are agents, logs, runs, usage and approvals',
      parse: filled,
    },
  ],
  details:
    'For an assistant that starts programs: it reads messages of the Model Context Protocol from standard input, sends each to the\n' +
    'service with your login, and writes the answers to standard output. What goes wrong is an answer, too. It ends with its input.\n' +
    'A project in use (svc projects use, --project) is the one that tools list and search, unless the assistant names another.',
  examples: [
    {
      command: 'mcp --read-only',
      explanation: 'the command that an assistant is to start; docs/mcp.md has its lines of configuration',
    },
    {
      command: 'mcp --project payments --toolsets agents,logs',
      explanation: 'looks into one project, and has some of the tools',
    },
  ],
  read: (input) => ({ isReadOnly: input.flag('read-only'), toolsets: input.text('toolsets') }),
  async run({ isReadOnly, toolsets }, context) {
    const { terminal, signal } = context;
    if (terminal.isInteractive)
      throw new UsageError('Messages come from standard input: an assistant starts this as its MCP server');
    const bridge = new McpBridge(context, {
      ...(isReadOnly && { 'x-mcp-readonly': 'true' }),
      ...(toolsets !== undefined && { 'x-mcp-toolsets': toolsets }),
    });
    for await (const line of terminal.inputLines(signal)) bridge.take(line);
    await bridge.answered();
  },
});
