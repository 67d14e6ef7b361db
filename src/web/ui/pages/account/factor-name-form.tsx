import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import { ErrorNotice } from '../../components/error-notice.js';

interface FactorNameFormProps {
  readonly suggestion: string;
  readonly label: string;
  readonly failureTitle: string;
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly onSubmit: (name: string) => void;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** Asks what to call a new factor, so that several can be told apart. */
export function FactorNameForm(props: FactorNameFormProps) {
  const { suggestion, label, failureTitle, error, isBusy, onSubmit, onCancel, children } = props;
  const [name, setName] = useState(suggestion);
  const { fields, rest } = fieldErrors(error, ['name']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(name.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && rest.length > 0 && <ErrorNotice title={failureTitle} error={error} />}
        {children}
        <TextInput
          label="Name"
          description="To tell it from others"
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
          value={name}
          error={fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
