import { Stack } from '@mantine/core';
import { Bars } from '../app/bars.js';
import { FindButton } from '../app/find-button.js';
import { DESTINATIONS, Navigation, OPERATOR_DESTINATIONS } from '../app/navigation.js';
import shell from '../app/shell.module.css';
import userMenu from '../app/user-menu.module.css';
import { PageHeading, type PageHeaderProps } from '../components/page-header.js';
import { PendingRows } from '../components/pending.js';

/** The bars, heading and placeholders of a page, without anything that depends on the user. */
export function PageFrame({ heading }: { readonly heading: PageHeaderProps | null }) {
  return (
    <Bars
      top={
        <>
          <FindButton isCompact />
          <Account />
        </>
      }
      find={
        // its script is not there yet
        <div inert className={shell.inert}>
          <FindButton />
        </div>
      }
      navigation={<Navigation user={null} />}
      account={<Account />}
    >
      <main id="main" className={shell.main}>
        {heading && <PageHeading {...heading} />}
        <Stack gap="xs" aria-busy="true" className={shell.late}>
          <PendingRows rows={4} height={40} />
        </Stack>
      </main>
    </Bars>
  );
}

/** Space of the user's menu. */
function Account() {
  return (
    <div className={userMenu.button}>
      <span className={userMenu.initial} />
    </div>
  );
}

/** The headings of the pages by their paths; `/agents/:id` is the page of any agent. */
export const HEADINGS = new Map<string, PageHeaderProps>();

for (const { to, label, noun } of [...DESTINATIONS, ...OPERATOR_DESTINATIONS]) {
  HEADINGS.set(to, { title: label });
  if (noun !== undefined) HEADINGS.set(`${to}/:id`, { title: noun, back: { to, label } });
}
