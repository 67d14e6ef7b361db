import { Text, Textarea } from '@mantine/core';
import { describeInput, readInput } from './run-input.js';
import classes from './run-input-field.module.css';

export interface RunInputFieldProps {
  readonly typed: string;
  readonly onChange: (typed: string) => void;
  /** The service's refusal. */
  readonly error: string | undefined;
  readonly minRows: number;
  /** True: it has the focus when its dialog opens. */
  readonly isFirst?: boolean;
}

/** Editor of a run's input; the line below contains the sent value, or the error. */
export function RunInputField({ typed, onChange, error, minRows, isFirst = false }: RunInputFieldProps) {
  const input = readInput(typed);
  const isFaulty = input.kind === 'fault';
  return (
    <div>
      <Textarea
        label="Input"
        description="JSON or plain text."
        value={typed}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={isFaulty ? describeInput(input) : error}
        errorProps={{ role: 'status' }}
        autosize
        minRows={minRows}
        maxRows={18}
        spellCheck={false}
        classNames={{ input: classes.input }}
        data-autofocus={isFirst || undefined}
      />
      {!isFaulty && (
        <Text size="xs" c="dimmed" mt={6} role="status">
          {describeInput(input)}
        </Text>
      )}
    </div>
  );
}
