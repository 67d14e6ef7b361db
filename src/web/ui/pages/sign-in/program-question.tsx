import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { ProgramSignIn } from './program-sign-in.js';

/**
 * Asks before a program on this computer gets the sign-in: another person can have begun it, and have sent the person only the
 * address.
 */
export function ProgramQuestion({ program }: { readonly program: ProgramSignIn }) {
  return (
    <Stack>
      <Text>
        A program on this computer wants to sign in as you: svc, or another one that waits at port{' '}
        {program.port}.
      </Text>
      <Text>
        Continue only if you started this yourself, and your terminal shows the code{' '}
        <Code>{program.code}</Code>
      </Text>
      <Group justify="flex-end">
        <Button variant="default" component={Link} to="/sign-in">
          Cancel
        </Button>
        <Button component="a" href={program.address}>
          Sign in to the program
        </Button>
      </Group>
    </Stack>
  );
}
