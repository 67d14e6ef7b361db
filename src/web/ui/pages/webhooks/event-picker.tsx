import { Checkbox, Fieldset, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { describeKind, type EventPattern, FAMILIES, togglePattern } from './event-patterns.js';

interface EventPickerProps {
  readonly value: EventPattern[];
  readonly onChange: (value: EventPattern[]) => void;
  readonly error?: React.ReactNode;
}

/** Picker of a webhook's events: all, families, or single kinds. */
export function EventPicker({ value, onChange, error }: EventPickerProps) {
  const everything = value.includes('*');
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Events"
        description="What is sent to it"
        value={everything ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? ['*'] : ['deployment.failed'])}
        error={error}
      >
        <Stack gap={8} mt="xs">
          <Radio value="all" label="Everything, including events that later versions add" />
          <Radio value="some" label="Only some" />
        </Stack>
      </Radio.Group>
      {!everything &&
        FAMILIES.map((family) => (
          <FamilyOfKinds key={family.pattern} family={family} value={value} onChange={onChange} />
        ))}
    </Stack>
  );
}

interface FamilyProps extends EventPickerProps {
  readonly family: (typeof FAMILIES)[number];
}

function FamilyOfKinds({ family, value, onChange }: FamilyProps) {
  const whole = value.includes(family.pattern);
  return (
    <Fieldset legend={family.title} variant="default">
      <Checkbox
        label={
          <>
            All of them{' '}
            <Text span size="xs" c="dimmed" ff="monospace">
              {family.pattern}
            </Text>
          </>
        }
        checked={whole}
        onChange={() => onChange(togglePattern(value, family.pattern))}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={8} mt="sm">
        {family.kinds.map((kind) => (
          <Checkbox
            key={kind}
            size="xs"
            label={describeKind(kind)}
            checked={whole || value.includes(kind)}
            disabled={whole}
            onChange={() => onChange(togglePattern(value, kind))}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
