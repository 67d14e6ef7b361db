import { Text } from '@mantine/core';
import type { Usage } from '@agent-control-plane/client';
import { counted } from '../../components/counted.js';
import { Fact, FactList } from '../../components/fact-list.js';
import { costText, numberText } from './span-words.js';

/** Tokens, calls and cost. A sum without all prices says so. */
export function RunUsage({ usage }: { readonly usage: Usage }) {
  const { uncosted_calls: uncosted, reasoning_tokens: reasoning, tool_errors: errors } = usage;
  return (
    <FactList label="Usage">
      <Fact term="Cost">
        {costText(usage.cost_usd)}
        {uncosted > 0 && <Remark>{counted(uncosted, 'call')} without a price</Remark>}
      </Fact>
      <Fact term="Input tokens">{numberText(usage.input_tokens)}</Fact>
      <Fact term="Read from a cache">{numberText(usage.cache_read_tokens)}</Fact>
      <Fact term="Written to a cache">{numberText(usage.cache_write_tokens)}</Fact>
      <Fact term="Output tokens">
        {numberText(usage.output_tokens)}
        {reasoning > 0 && <Remark>{numberText(reasoning)} of them reasoning</Remark>}
      </Fact>
      <Fact term="Calls of models">{numberText(usage.llm_calls)}</Fact>
      <Fact term="Calls of tools">
        {numberText(usage.tool_calls)}
        {errors > 0 && <Remark>{numberText(errors)} failed</Remark>}
      </Fact>
    </FactList>
  );
}

function Remark({ children }: { readonly children: React.ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}
