import { Button, Text } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { queryOf, type SearchState } from './search-state.ts';

interface Props {
  readonly state: SearchState;
  readonly change: (changes: { readonly q?: string; readonly fuzzy?: string }) => void;
}

/** Said where a search finds nothing, with what was probably meant where that is to be found. */
export const NothingFound = ({ state, change }: Props): ReactNode => {
  const t = useTranslate();
  const wasForgiving = state.fuzzy === 'true';
  const { data, isPending } = useCall(
    'get /api/search',
    { query: { ...queryOf(state), fuzzy: 'true', page: 1, per_page: 1 } },
    { enabled: !wasForgiving },
  );
  const meant = data?.total === 0 ? undefined : data?.corrected_query;
  const isHopeless = wasForgiving || (!isPending && data !== undefined && meant === undefined);
  return (
    <EmptyState icon={IconSearchOff} title={t('search.nothing')} hint={isHopeless ? t('search.fewerWords') : t('search.nothingHint')}>
      <Text size="sm" c="dimmed" ta="center">
        {t('search.commonWords')}
      </Text>
      {meant !== undefined && (
        <Text>
          {t('search.didYouMean')}{' '}
          <Button variant="light" size="compact-md" className="stranger" onClick={() => change({ q: meant })}>
            {meant}
          </Button>
        </Text>
      )}
      {!isHopeless && (
        <Button variant={meant === undefined ? 'filled' : 'default'} onClick={() => change({ fuzzy: 'true' })}>
          {t('search.tryFuzzy')}
        </Button>
      )}
    </EmptyState>
  );
};
