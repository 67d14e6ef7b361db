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
    { flags: '--read-only', description: 'offer only tools that read' },
    {
      flags: '--toolsets <names>',
      description: 'only these kinds of tools, such as agents,runs: agents, logs, runs, usage, approvals',
      parse: filled,
    },
  ],
  details:
    'An assistant starts this as a local MCP server. It passes messages of the Model Context Protocol ' +
    'from standard input to the service, with your login, and writes the answers, also errors, to ' +
    'standard output. It ends with its input. Tools list and search the project in use (svc projects use, ' +
    '--project), unless the assistant names another.',
  examples: [
    {
      command: 'mcp --read-only',
      explanation: 'the command that an assistant is to start; docs/mcp.md has its lines of configuration',
    },
    {
      command: 'mcp --project payments --toolsets agents,logs',
      explanation: 'one project, and some of the tools',
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
