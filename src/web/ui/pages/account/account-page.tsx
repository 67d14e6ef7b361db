import { Stack, Title } from '@mantine/core';
import { useUser } from '../../app/require-session.js';
import { PageHeader } from '../../components/page-header.js';
import { ChangePasswordForm } from './change-password-form.js';
import { FactorsSection } from './factors-section.js';
import { SessionsSection } from './sessions-section.js';

/** The user's own account: its sessions, its second factors and its password. */
export function AccountPage() {
  const { email } = useUser();
  return (
    <>
      <PageHeader title="Account">
        <span>{email}</span>
      </PageHeader>
      <Stack gap="xl">
        <SessionsSection />
        <FactorsSection />
        <Stack component="section" aria-labelledby="change-password" gap="sm" maw="26rem">
          <Title order={2} size="h4" id="change-password">
            Change password
          </Title>
          <ChangePasswordForm email={email} />
        </Stack>
      </Stack>
    </>
  );
}
