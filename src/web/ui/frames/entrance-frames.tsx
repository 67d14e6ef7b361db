import { Stack } from '@mantine/core';
import shell from '../app/shell.module.css';
import { PendingRows } from '../components/pending.js';
import { SignInForm } from '../components/sign-in-form.js';
import { ENTRANCE_TITLES, EntranceCard } from '../pages/sign-in/entrance.js';
import { SignUpOffer } from '../pages/sign-in/sign-in-page.js';

/** The page of the sign-in without its scripts. It takes no input, which would be lost when the page replaces it. */
export function SignInFrame() {
  return (
    <EntranceCard
      title={ENTRANCE_TITLES['/sign-in']}
      footer={
        <span inert>
          <SignUpOffer search="" />
        </span>
      }
    >
      <div inert>
        <SignInForm onSignedIn={() => undefined} />
      </div>
    </EntranceCard>
  );
}

/** Another page before the sign-in without its scripts. */
export function EntranceFrame({ title }: { readonly title: string }) {
  return (
    <EntranceCard title={title} footer={null}>
      <Stack gap="xs" aria-busy="true" className={shell.late}>
        <PendingRows rows={3} height={40} />
      </Stack>
    </EntranceCard>
  );
}
