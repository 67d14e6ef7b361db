import type { Approval } from '@agent-control-plane/client';
import { UsageError } from '../failures.js';

export type Risk = Approval['risk'];

export const RISKS = ['low', 'medium', 'high'] as const satisfies Risk[];

/** The risk of the tools whose names match; without a pattern of all. */
interface Rule {
  readonly pattern: RegExp;
  readonly risk: Risk;
}

/** How risky the calls of tools are, by `--risk`. */
export class ToolRisks {
  private constructor(private readonly rules: readonly Rule[]) {}

  /** @param given `high`, `Bash=high`, `mcp__bank__*=high`; the last one that matches counts @throws UsageError */
  static of(given: readonly string[]): ToolRisks {
    return new ToolRisks(given.map(ruleOf));
  }

  /** Undefined: nothing says, and the service takes its default. */
  of(tool: string): Risk | undefined {
    return this.rules.findLast(({ pattern }) => pattern.test(tool))?.risk;
  }
}

function ruleOf(text: string): Rule {
  const [, tools = '*', risk] = /^(?:(.+)=)?([a-z]+)$/.exec(text) ?? [];
  if (!isRisk(risk)) throw new UsageError(`--risk is ${RISKS.join(', ')}, or TOOL=high, and not "${text}"`);
  const source = tools.split('*').map((part) => part.replaceAll(/[^\w]/g, '\\$&'));
  return { pattern: new RegExp(`^${source.join('.*')}$`, 's'), risk };
}

function isRisk(text: string | undefined): text is Risk {
  return RISKS.some((risk) => risk === text);
}
