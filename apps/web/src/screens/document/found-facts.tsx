import { ActionIcon, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconFocusCentered } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import type { Answer, Operation } from '../../interface/call.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { Document } from './document-facts.tsx';
import { DocumentSection } from './document-section.tsx';
import type { Highlight } from './viewer/page-list.tsx';

type Fact = Answer<'get /api/documents/{id}/facts'>['facts'][number];

const SHOWS_FACTS: readonly Operation[] = ['get /api/documents/{id}/facts', 'get /api/documents/{id}', 'get /api/documents'];

const SURE = { certain: 0.9, likely: 0.6 };
/** So many of the other values are shown at once. */
const FEW = 2;

const DAYS: ReadonlySet<string> = new Set(['document_date', 'due_date', 'service_date']);

/** How much a fact can be relied on, in words. */
const sureness = ({ confidence, is_ambiguous: isAmbiguous, is_confirmed: isConfirmed }: Fact) => {
  if (isConfirmed) return { key: 'document.factConfirmed', color: 'green' } as const;
  if (isAmbiguous) return { key: 'document.factAmbiguous', color: 'orange' } as const;
  if (confidence >= SURE.certain) return { key: 'document.factCertain', color: 'teal' } as const;
  return confidence >= SURE.likely
    ? ({ key: 'document.factLikely', color: 'blue' } as const)
    : ({ key: 'document.factUnsure', color: 'gray' } as const);
};

const useFactText = (): ((fact: Fact) => string) => {
  const format = useFormat();
  // of the reader's own day, wherever they are: without a time it would begin in London
  return ({ kind, value }) => (DAYS.has(kind) ? format.date(`${value}T00:00`) : value);
};

interface Props {
  readonly document: Document;
  readonly mayChange: boolean;
  /** Shows a part of a page; undefined where no pages are shown. */
  readonly onShow: ((place: Highlight) => void) | undefined;
}

const ShowButton = ({ fact, onShow }: { readonly fact: Fact } & Pick<Props, 'onShow'>): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const textOf = useFactText();
  const { page, box } = fact;
  if (onShow === undefined || page === null || box === null) return null;
  return (
    <ActionIcon
      variant="subtle"
      aria-label={t('document.showFact', { value: textOf(fact), page: format.number(page) })}
      onClick={() => onShow({ page, ...box })}
    >
      <IconFocusCentered size={16} />
    </ActionIcon>
  );
};

/** What counts of one kind, and what else it could be. */
const FactsOfKind = ({ facts, document, mayChange, onShow }: { readonly facts: readonly Fact[] } & Props): ReactNode => {
  const t = useTranslate();
  const textOf = useFactText();
  const [isOpen, setOpen] = useState(false);
  const choose = useChange('post /api/documents/{id}/facts/{fact_id}/choose', SHOWS_FACTS);
  const best = facts.find((fact) => fact.is_chosen) ?? facts[0];
  if (best === undefined) return null;
  const others = facts.filter((fact) => fact !== best);
  const { key, color } = sureness(best);
  const take = (fact: Fact): void => choose.mutate({ params: { id: document.id, fact_id: fact.id } });
  return (
    <Stack gap={2} component="li">
      <SmallNote>{t(`factKinds.${best.kind}`)}</SmallNote>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" className="stranger" style={{ overflowWrap: 'anywhere' }}>
          {textOf(best)}
        </Text>
        <Badge variant="light" color={color} style={{ flex: 'none' }}>
          {t(key)}
        </Badge>
        <ShowButton fact={best} onShow={onShow} />
        {mayChange && !best.is_confirmed && (
          <ActionIcon
            variant="subtle"
            color="green"
            aria-label={t('document.confirmFact', { value: textOf(best) })}
            loading={choose.isPending}
            onClick={() => take(best)}
          >
            <IconCheck size={16} />
          </ActionIcon>
        )}
      </Group>
      {mayChange && others.length > 0 && (
        <Group gap={4}>
          {(isOpen ? others : others.slice(0, FEW)).map((fact) => (
            <Group key={fact.id} gap={0} wrap="nowrap">
              <Button
                variant="default"
                size="compact-xs"
                aria-label={t('document.chooseFact', { value: textOf(fact) })}
                disabled={choose.isPending}
                onClick={() => take(fact)}
              >
                <span className="stranger">{textOf(fact)}</span>
              </Button>
              <ShowButton fact={fact} onShow={onShow} />
            </Group>
          ))}
          {!isOpen && others.length > FEW && (
            <Button variant="subtle" size="compact-xs" onClick={() => setOpen(true)}>
              {t('document.moreFacts', { count: others.length - FEW })}
            </Button>
          )}
        </Group>
      )}
      <ProblemNote problem={choose.error} />
    </Stack>
  );
};

/** What the document states, as far as it was found: to be looked at on its page, confirmed, or chosen otherwise. */
export const FoundFacts = (props: Props): ReactNode => {
  const t = useTranslate();
  const { data, error, refetch } = useCall('get /api/documents/{id}/facts', { params: { id: props.document.id } });
  const kinds = Map.groupBy(data?.facts ?? [], ({ kind }) => kind);
  if (error === null && kinds.size === 0) return null;
  return (
    <DocumentSection title={t('document.facts')}>
      {error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {[...kinds].map(([kind, facts]) => (
          <FactsOfKind key={kind} facts={facts} {...props} />
        ))}
      </Stack>
    </DocumentSection>
  );
};
