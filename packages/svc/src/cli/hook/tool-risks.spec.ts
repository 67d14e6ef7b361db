import { ToolRisks } from './tool-risks.js';

describe('The risk of a tool', () => {
  it('is that of the last rule that matches its whole name', () => {
    const risks = ToolRisks.of(['low', 'Bash=high', 'mcp__*=medium', 'mcp__*__pay=high', 'Web*=low']);
    const tools = ['Read', 'Bash', 'BashOutput', 'mcp__bank__list', 'mcp__bank__pay', 'mcp__bank__payer'];
    expect(tools.map((tool) => risks.of(tool))).toEqual(['low', 'high', 'low', 'medium', 'high', 'medium']);
  });

  it('is not said without a rule', () => {
    expect(ToolRisks.of([]).of('Bash')).toBeUndefined();
    expect(ToolRisks.of(['a.b=high']).of('acb')).toBeUndefined();
  });

  it.each(['', 'none', 'Bash', 'Bash=', 'Bash=HIGH', '=high', 'high '])('is refused as %j', (text) => {
    expect(() => ToolRisks.of([text])).toThrow('--risk is low, medium, high, or TOOL=high');
  });
});
