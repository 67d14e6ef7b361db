import { ALL_COMMANDS } from './all-commands.js';
import { outlineOf } from './command-table.js';
import { manPage } from './man-page.js';

describe('The manual page', () => {
  it('has every command with its options and examples, and no text that roff would take for a request', async () => {
    const outline = await outlineOf(ALL_COMMANDS);
    const page = manPage(outline, '1.2.3');
    expect(page).toMatch(/^\.TH "SVC" "1" "" "svc 1\.2\.3"/);
    for (const { name } of outline.commands)
      expect(page).toContain(`.SS "svc ${name.replaceAll('-', '\\-')}`);
    expect(page).toContain('\\fB\\-\\-label <key=value>\\fR');
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));
    expect(new Set(requests.map((line) => line.slice(0, 3)))).toEqual(
      new Set(['.TH', '.SH', '.SS', '.PP', '.TP']),
    );
  });

  it('may cover one noun or one command', async () => {
    const outline = await outlineOf(ALL_COMMANDS);
    const page = manPage(outline, '1.2.3', 'runs');
    expect(page).toContain('svc\\-runs \\- Pieces of work');
    expect(page).toContain('.SS "svc runs retry');
    expect(page).not.toContain('.SS "svc agents');
    expect(manPage(outline, '1.2.3', 'why')).toContain('.SS "svc why <agent>"');
  });
});
