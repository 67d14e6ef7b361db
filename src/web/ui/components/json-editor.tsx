import { indentedJson } from '@agent-control-plane/client/internal/kept-numbers';
import { Button, Group, Textarea } from '@mantine/core';
import { useMemo } from 'react';
import { findJsonFault } from './json-fault.js';
import classes from './json-editor.module.css';

export interface JsonEditorProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The service's message; a fault found by the editor is shown first. */
  readonly error?: string;
  readonly minRows?: number;
}

/** Editor for a JSON document; shows faults and their position while a person types. */
export function JsonEditor({ label, description, value, onChange, error, minRows = 8 }: JsonEditorProps) {
  const fault = useMemo(() => findJsonFault(value), [value]);
  const format = () => onChange(indentedJson(value));
  return (
    <div>
      <Textarea
        label={label}
        description={description}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={fault ? `Line ${fault.line}, column ${fault.column}: ${fault.message}` : error}
        errorProps={{ role: 'status' }}
        autosize
        minRows={minRows}
        maxRows={24}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        classNames={{ input: classes.input }}
      />
      <Group justify="flex-end" mt={6}>
        <Button size="compact-xs" variant="default" disabled={fault !== null} onClick={format}>
          Format
        </Button>
      </Group>
    </div>
  );
}
