import { IconBookmarkPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { late } from '../../app/late.ts';
import { DialogButton } from '../../components/buttons.tsx';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import type { Shown } from './saved-address.ts';

const SearchForm = late(() => import('./search-form.tsx'));

/** Keeps what the screen shows as a saved search. */
export const SaveSearch = ({ shown }: { readonly shown: Shown }): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!may('search.query')) return null;
  return (
    <>
      <DialogButton dialog={SearchForm} leftSection={<IconBookmarkPlus size={16} />} onClick={() => setOpen(true)}>
        {t('savedSearches.save')}
      </DialogButton>
      {isOpen && <SearchForm.Part shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
};
