import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { type AskedVerb, VerbDialog } from '../components/verb-dialog.js';
import { useKeyChoice } from '../components/key-choice.js';
import { focusPageSearch } from '../components/page-search.js';
import { useKeyPairs, useShortcuts } from '../components/shortcut-keys.js';
import { KeysDialog } from './keys-dialog.js';
import { useDestinations } from './navigation.js';
import { openSearch, PageSpotlight } from './spotlight.js';

/** Keyboard shortcuts of every page: the search, the list of keys, and actions on agents by their names. */
export function Keyboard() {
  const [isListOpen, list] = useDisclosure(false);
  const [asked, setAsked] = useState<AskedVerb | null>(null);
  const [hasKeys] = useKeyChoice();
  const navigate = useNavigate();
  const destinations = useDestinations();
  const goKeys = destinations.flatMap(({ to, goKey }) =>
    goKey === undefined ? [] : [[goKey, () => void navigate(to)] as const],
  );
  useKeyPairs(hasKeys, 'g', Object.fromEntries(goKeys));
  useShortcuts(hasKeys, {
    '?': list.open,
    '/': () => {
      if (!focusPageSearch()) openSearch();
    },
  });
  return (
    <>
      <PageSpotlight onKeys={list.open} onVerb={setAsked} />
      <KeysDialog isOpen={isListOpen} onClose={list.close} />
      {asked && <VerbDialog asked={asked} onClose={() => setAsked(null)} />}
    </>
  );
}
