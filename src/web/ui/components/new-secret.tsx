import { Button, Group, Stack } from '@mantine/core';
import { SecretOnce, type SecretOnceProps } from './secret-once.js';

interface NewSecretProps extends SecretOnceProps {
  readonly onDone: () => void;
}

/** The last step of a dialog that has created a secret. */
export function NewSecret({ onDone, ...secret }: NewSecretProps) {
  return (
    <Stack>
      <SecretOnce {...secret} />
      <Group justify="flex-end">
        <Button onClick={onDone} data-autofocus>
          I’ve saved it
        </Button>
      </Group>
    </Stack>
  );
}
