import { Button, Group } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';

/** Fields of a form that most people leave alone, behind a button. */
export function MoreFields({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div>
      <Button
        size="compact-sm"
        variant="default"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Less' : 'More'}
      </Button>
      {isOpen && (
        <Group id={id} gap="sm" mt="sm" align="flex-start">
          {children}
        </Group>
      )}
    </div>
  );
}
