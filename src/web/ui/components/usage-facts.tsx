import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Usage } from '@agent-control-plane/client';
import { costText, numberText, uncostedText } from './amounts.js';
import { Fact, FactList } from './fact-list.js';

export interface UsageFactsProps {
  readonly usage: Usage;
  /** How the cost is written; absent: exactly. */
  readonly writeCost?: (cost: string) => string;
}

/** Tokens, calls and cost. A sum without all prices says so. */
export function UsageFacts({ usage, writeCost = costText }: UsageFactsProps) {
  const { reasoning_tokens: reasoning, tool_errors: errors } = usage;
  const uncosted = uncostedText(usage);
  return (
    <FactList label="Usage">
      <Fact term="Cost">
        {writeCost(usage.cost_usd)}
        {uncosted && <Remark>{uncosted}</Remark>}
      </Fact>
      <Fact term="Input tokens">{numberText(usage.input_tokens)}</Fact>
      <Fact term="Cache reads">{numberText(usage.cache_read_tokens)}</Fact>
      <Fact term="Cache writes">{numberText(usage.cache_write_tokens)}</Fact>
      <Fact term="Output tokens">
        {numberText(usage.output_tokens)}
        {reasoning > 0 && <Remark>{numberText(reasoning)} of them reasoning</Remark>}
      </Fact>
      <Fact term="LLM calls">{numberText(usage.llm_calls)}</Fact>
      <Fact term="Tool calls">
        {numberText(usage.tool_calls)}
        {errors > 0 && <Remark>{numberText(errors)} failed</Remark>}
      </Fact>
    </FactList>
  );
}

function Remark({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}
