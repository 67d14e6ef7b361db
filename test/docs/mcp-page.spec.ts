import { readFile } from 'node:fs/promises';
import { ALL_COMMANDS } from '../../packages/svc/src/cli/all-commands.js';
import { readCommandLine } from '../../packages/svc/src/cli/command-line.js';
import { TOOLSETS } from '../../src/mcp/tools.js';

const page = await readFile('docs/mcp.md', 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``, 'g'))].map(([, block]) => block!);

describe('docs/mcp.md', () => {
  it('has JSON that can be pasted', () => {
    expect(blocks('json').length).toBeGreaterThan(2);
    for (const block of blocks('json')) expect(() => JSON.parse(block) as unknown).not.toThrow();
  });

  it('lets assistants start a command line that svc takes', async () => {
    const starts = [...blocks('json'), ...blocks('toml')].flatMap((block) => [
      ...block.matchAll(/"?command"?\s*[:=]\s*"svc",?\s*"?args"?\s*[:=]\s*(\[[^\]]*\])/g),
    ]);
    expect(starts.length).toBeGreaterThan(1);
    for (const [, args] of starts) {
      const invocation = await readCommandLine(JSON.parse(args!) as string[], ALL_COMMANDS);
      expect(invocation?.name).toBe('mcp');
      expect(invocation?.command.read(invocation.input)).toMatchObject({ isReadOnly: true });
    }
  });

  it('names every set of tools where it says how to choose', () => {
    const [row] = /^- \*\*Some kinds of tools.*$/m.exec(page)!;
    for (const toolset of TOOLSETS) expect(row).toContain(`\`${toolset}\``);
  });
});
