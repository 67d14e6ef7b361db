import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { serviceUrl } from './page-meta.js';
import { CodeBlock } from './code-block.js';

const SHELLS = [
  { value: 'sh', label: 'Linux, macOS' },
  { value: 'powershell', label: 'Windows' },
];

/** The command that starts an agent. @param agentKey its runtime's key */
export function RunCommand({ agentKey }: { readonly agentKey: string }) {
  const [shell, setShell] = useState('sh');
  const url = serviceUrl();
  const command =
    shell === 'sh'
      ? `SERVICE_API_URL=${url} \\\nSERVICE_AGENT_KEY=${agentKey} \\\nsvc run`
      : `$env:SERVICE_API_URL='${url}'\n$env:SERVICE_AGENT_KEY='${agentKey}'\nsvc run`;
  return (
    <Stack gap="xs" align="stretch">
      <SegmentedControl
        size="xs"
        w="fit-content"
        data={SHELLS}
        value={shell}
        onChange={setShell}
        aria-label="Kind of shell"
      />
      <CodeBlock code={command} what="command" />
      <Text size="sm" c="dimmed">
        No <code>svc</code> there yet? It comes with this project: docs/cli.md says how to install it.
      </Text>
    </Stack>
  );
}
