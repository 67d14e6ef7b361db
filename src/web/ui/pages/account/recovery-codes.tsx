import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconKey } from '@tabler/icons-react';
import { CodeBlock } from '../../components/code-block.js';
import { Notice } from '../../components/notice.js';
import { saveTextFile } from '../../components/save-file.js';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** The last step of a dialog that has made recovery codes, which are shown only there. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const text = codes.join('\n');
  return (
    <Stack>
      <Notice tone="warn" icon={IconKey} title="Keep these recovery codes" role="status">
        <Text size="sm">
          Each of them signs you in once, after your password, when you have neither your app nor your
          passkey. They are shown this once and can’t be shown again. Keep them apart from your password.
        </Text>
      </Notice>
      <CodeBlock code={text} what="recovery codes" />
      <Group justify="space-between">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveTextFile('recovery-codes.txt', `${text}\n`)}
        >
          Save as a file
        </Button>
        <Button onClick={onDone} data-autofocus>
          I’ve saved them
        </Button>
      </Group>
    </Stack>
  );
}
