import { Checkbox, NumberInput } from '@mantine/core';
import { isRetried, type TypedRules } from './run-rules.js';

const MOST_ATTEMPTS = 100;
const LONGEST_PAUSE_SECONDS = 3_600;

export interface RunRuleFieldsProps {
  readonly rules: TypedRules;
  /** The service's refusals by field. */
  readonly errors: Record<string, string>;
  readonly onChange: (rules: TypedRules) => void;
}

/** Priority, time limit and further attempts of a run. */
export function RunRuleFields({ rules, errors, onChange }: RunRuleFieldsProps) {
  const change = (part: Partial<TypedRules>) => onChange({ ...rules, ...part });
  return (
    <>
      <NumberInput
        label="Priority"
        description="0 to 9, highest first."
        placeholder="5"
        flex="1 1 9rem"
        min={0}
        max={9}
        allowDecimal={false}
        value={rules.priority}
        error={errors.priority}
        onChange={(priority) => change({ priority })}
      />
      <NumberInput
        label="Time limit"
        description="In seconds."
        placeholder="none"
        flex="1 1 9rem"
        min={1}
        allowDecimal={false}
        value={rules.timeout_seconds}
        error={errors.timeout_seconds}
        onChange={(timeout_seconds) => change({ timeout_seconds })}
      />
      <NumberInput
        label="Attempts"
        description="At most."
        placeholder="1"
        flex="1 1 9rem"
        min={1}
        max={MOST_ATTEMPTS}
        allowDecimal={false}
        value={rules.max_attempts}
        error={errors.retry}
        onChange={(max_attempts) => change({ max_attempts })}
      />
      {isRetried(rules) && (
        <>
          <NumberInput
            label="First retry delay"
            description="In seconds. It doubles each time."
            placeholder="0"
            flex="1 1 9rem"
            min={0}
            max={LONGEST_PAUSE_SECONDS}
            allowDecimal={false}
            value={rules.first_delay_seconds}
            onChange={(first_delay_seconds) => change({ first_delay_seconds })}
          />
          <Checkbox
            label="Also retry when the agent loses the run"
            description="The agent may have done part of the work."
            flex="1 1 100%"
            checked={rules.abandoned}
            onChange={(event) => change({ abandoned: event.currentTarget.checked })}
          />
        </>
      )}
    </>
  );
}
