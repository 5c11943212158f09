import { Code, Group, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp, IconArrowDown, IconArrowUp, IconPlayerPlay, IconRouteAltLeft } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CreateButton, EditAction, RemoveAction, RowAction } from '../../components/buttons.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { call, type Operation, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTranslate } from '../../language/language.tsx';
import type { Rule } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';

const hasFilters = ({ filters }: Rule): boolean => Object.keys(filters).length > 0;

/** The rules of the user, in the order in which they are applied. */
const Rules = (): ReactNode => {
  const t = useTranslate();
  const [edited, setEdited] = useState<Rule | 'new'>();
  const [state, change] = useAddressState(['page']);
  const { data, refetch, paging } = usePagedCall('get /api/rules', state, change);
  const act = useRuleActions(refetch);
  const total = data?.pagination.total ?? 0;

  const columns: readonly Column<Rule>[] = [
    {
      key: 'name',
      title: t('rules.name'),
      width: '25%',
      cell: ({ name }) => (
        <Text size="sm" className="stranger">
          {name}
        </Text>
      ),
    },
    {
      key: 'condition',
      title: t('rules.condition'),
      cell: (rule) => (
        <Group gap={6}>
          {rule.query === '' ? <Text size="sm">{t('rules.onlyFilters')}</Text> : <Code className="stranger">{rule.query}</Code>}
          {rule.query !== '' && hasFilters(rule) && <SmallNote>{t('rules.withFilters')}</SmallNote>}
        </Group>
      ),
    },
    {
      key: 'enabled',
      title: t('rules.isEnabled'),
      cell: (rule) => (
        <Switch
          aria-label={t('rules.isEnabledOf', { name: rule.name })}
          checked={rule.is_enabled}
          onChange={(event) => act.enable(rule, event.currentTarget.checked)}
        />
      ),
    },
    actionsColumn(t('rules.rowActions'), (rule) => {
      const { name, position } = rule;
      return (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {position > 1 && (
            <RowAction
              icon={IconArrowUp}
              title={t('rules.moveUp')}
              label={t('rules.moveUpOf', { name })}
              onClick={() => act.move(rule, position - 1)}
            />
          )}
          {position < total && (
            <RowAction
              icon={IconArrowDown}
              title={t('rules.moveDown')}
              label={t('rules.moveDownOf', { name })}
              onClick={() => act.move(rule, position + 1)}
            />
          )}
          <EditAction title={t('rules.edit')} label={t('rules.editOf', { name })} onClick={() => setEdited(rule)} />
          <RowAction icon={IconPlayerPlay} title={t('rules.apply')} label={t('rules.applyOf', { name })} onClick={() => act.apply(rule)} />
          <RowAction icon={IconArrowBackUp} title={t('rules.undo')} label={t('rules.undoOf', { name })} onClick={() => act.undo(rule)} />
          <RemoveAction title={t('rules.remove')} label={t('rules.removeOf', { name })} onClick={() => act.remove(rule)} />
        </Group>
      );
    }),
  ];

  const createButton = <CreateButton label={t('rules.create')} onClick={() => setEdited('new')} />;
  const empty = (
    <EmptyState icon={IconRouteAltLeft} title={t('rules.none')} hint={t('rules.noneHint')}>
      {createButton}
    </EmptyState>
  );
  return (
    <>
      <ScreenHeader title={t('rules.title')} hint={t('rules.hint')}>
        {createButton}
      </ScreenHeader>
      <RecordTable
        caption={t('rules.title')}
        columns={columns}
        {...paging}
        records={data?.rules.filter(({ id }) => !act.hidden.has(id))}
        empty={empty}
      />
      {edited !== undefined && <RuleForm rule={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </>
  );
};
export default Rules;

const RULES: readonly Operation[] = ['get /api/rules'];
const DOCUMENTS: readonly Operation[] = [
  'get /api/documents',
  'get /api/documents/{id}',
  'get /api/documents/{id}/rule-changes',
  'get /api/labels',
];

/** What can be done with a rule of the list; each says how it ended. */
const useRuleActions = (refetch: () => Promise<unknown>) => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const removeLater = useUndoableRemoval();
  const { hidden } = useHidden();
  const update = useChange('patch /api/rules/{id}', RULES);
  const applying = useChange('post /api/rules/{id}/apply', DOCUMENTS);
  const undoing = useChange('post /api/rules/{id}/undo', DOCUMENTS);
  const notify = (...parts: readonly (string | undefined)[]): void => {
    notifications.show({ message: parts.filter((part) => part !== undefined).join('. ') });
  };
  const left = (count: number): string | undefined => (count === 0 ? undefined : t('rules.more', { count }));
  const options = { onError: notifyProblem };
  const isBusy = applying.isPending || undoing.isPending;
  return {
    hidden,
    enable: ({ id }: Rule, isEnabled: boolean): void => update.mutate({ params: { id }, body: { is_enabled: isEnabled } }, options),
    move: ({ id }: Rule, position: number): void => update.mutate({ params: { id }, body: { position } }, options),
    apply: ({ id }: Rule): void => {
      if (isBusy) return;
      applying.mutate(
        { params: { id } },
        { ...options, onSuccess: ({ changed, remaining }) => notify(t('rules.applied', { count: changed }), left(remaining)) },
      );
    },
    undo: ({ id }: Rule): void => {
      if (isBusy) return;
      undoing.mutate(
        { params: { id } },
        {
          ...options,
          onSuccess: ({ undone, kept, remaining }) =>
            notify(t('rules.undone', { count: undone }), kept === 0 ? undefined : t('rules.kept', { count: kept }), left(remaining)),
        },
      );
    },
    remove: ({ id, name }: Rule): void =>
      removeLater(id, t('rules.removed', { name }), async () => {
        await call('delete /api/rules/{id}', { params: { id } });
        await refetch();
      }),
  };
};
