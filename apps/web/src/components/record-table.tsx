import { Box, Card, Group, Pagination, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import type { Pagination as PaginationBody } from '@sheaf/contract';
import type { CSSProperties, ReactNode } from 'react';
import type { Problem } from '../interface/problem.ts';
import { useFormat, useTranslate } from '../language/language.tsx';
import { ProblemNote } from './problem-note.tsx';
import { useIsNarrow } from './use-is-narrow.ts';

export interface Column<R> {
  readonly key: string;
  readonly title: string;
  readonly cell: (record: R) => ReactNode;
  /** The heading is only for those who cannot see the column, such as one of buttons. */
  readonly hasHiddenTitle?: boolean;
  readonly align?: 'left' | 'right';
  readonly width?: number | string;
  /** Stays in one line, as sizes and times do. */
  readonly isWhole?: boolean;
  /** Whether there is nothing to say of a record: a card leaves it out. */
  readonly isEmpty?: (record: R) => boolean;
}

/** The last column of a table: the buttons of each record. */
export const actionsColumn = <R,>(title: string, cell: Column<R>['cell']): Column<R> => ({
  key: 'actions',
  title,
  hasHiddenTitle: true,
  align: 'right',
  cell,
});

export interface RecordTableProps<R> {
  /** What it is a table of. */
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  /** Undefined while they are loaded. */
  readonly records: readonly R[] | undefined;
  readonly idOf: (record: R) => string;
  readonly problem?: Problem | null;
  readonly onRetry?: () => void;
  readonly pagination?: PaginationBody | undefined;
  readonly onPage?: (page: number) => void;
  /** Shown where there is nothing. */
  readonly empty: ReactNode;
}

/** There for those who hear it. */
const HIDDEN: CSSProperties = { position: 'absolute', width: 1, height: 1, overflow: 'hidden' };
const WHOLE: CSSProperties = { whiteSpace: 'nowrap' };
const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f'];

const Cards = <R,>({
  caption,
  columns,
  records,
  idOf,
}: Pick<RecordTableProps<R>, 'caption' | 'columns' | 'idOf'> & { records: readonly R[] }): ReactNode => (
  <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }} aria-label={caption}>
    {records.map((record) => (
      <Card component="li" key={idOf(record)} withBorder padding="sm">
        <Stack gap={6}>
          {columns.map(({ key, title, cell, hasHiddenTitle, isEmpty }, index) =>
            isEmpty?.(record) === true ? null : index === 0 || hasHiddenTitle === true ? (
              <Box key={key}>{cell(record)}</Box>
            ) : (
              <Group key={key} gap="sm" wrap="nowrap" align="flex-start">
                <Text size="xs" c="dimmed" w={104} style={{ flex: 'none' }} mt={2}>
                  {title}
                </Text>
                <Box style={{ minWidth: 0, flex: 1 }}>{cell(record)}</Box>
              </Group>
            ),
          )}
        </Stack>
      </Card>
    ))}
  </Stack>
);

const Rows = <R,>({
  caption,
  columns,
  records,
  idOf,
}: Pick<RecordTableProps<R>, 'caption' | 'columns' | 'idOf'> & { records: readonly R[] }): ReactNode => (
  <Card withBorder padding={0}>
    <Table.ScrollContainer minWidth={560}>
      <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Caption style={HIDDEN}>{caption}</Table.Caption>
        <Table.Thead style={columns.every(({ hasHiddenTitle }) => hasHiddenTitle === true) ? HIDDEN : undefined}>
          <Table.Tr>
            {columns.map(({ key, title, hasHiddenTitle, align = 'left', width, isWhole }) => (
              <Table.Th key={key} ta={align} w={width} scope="col" style={isWhole === true ? WHOLE : undefined}>
                {hasHiddenTitle === true ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.map((record) => (
            <Table.Tr key={idOf(record)}>
              {columns.map(({ key, cell, align = 'left', isWhole }) => (
                <Table.Td key={key} ta={align} style={isWhole === true ? WHOLE : undefined}>
                  {cell(record)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  </Card>
);

const Waiting = (): ReactNode => {
  const t = useTranslate();
  return (
    <Stack gap="xs" role="status" aria-label={t('table.loading')}>
      {SKELETONS.map((key) => (
        <Skeleton key={key} height={46} radius="md" />
      ))}
    </Stack>
  );
};

/** A page of records: a table where there is room, cards on a telephone; with its loading, its empty and its error state. */
export const RecordTable = <R,>(props: RecordTableProps<R>): ReactNode => {
  const { records, problem, onRetry, pagination, onPage, empty } = props;
  const t = useTranslate();
  const format = useFormat();
  const isNarrow = useIsNarrow();
  if (problem !== null && problem !== undefined && records === undefined) return <ProblemNote problem={problem} onRetry={onRetry} />;
  if (records === undefined) return <Waiting />;
  if (records.length === 0) return empty;
  return (
    <Stack gap="md">
      {isNarrow ? <Cards {...props} records={records} /> : <Rows {...props} records={records} />}
      {pagination !== undefined && pagination.total_pages > 1 && onPage !== undefined && (
        <Group justify="space-between" component="nav" aria-label={t('table.pages')}>
          <Text size="sm" c="dimmed">
            {t('table.range', {
              from: format.number((pagination.page - 1) * pagination.per_page + 1),
              to: format.number(Math.min(pagination.total, pagination.page * pagination.per_page)),
              total: format.number(pagination.total),
            })}
          </Text>
          <Pagination
            total={pagination.total_pages}
            value={pagination.page}
            onChange={onPage}
            size="sm"
            siblings={1}
            getItemProps={(page) => ({ 'aria-label': t('table.page', { number: format.number(page) }) })}
            getControlProps={(control) => ({ 'aria-label': control === 'next' ? t('table.next') : t('table.previous') })}
          />
        </Group>
      )}
    </Stack>
  );
};
