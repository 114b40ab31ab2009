set local lock_timeout = '200ms';

-- A batch of one movement, the usual one of an organization with few calls, was a sixth empty arrays. A column of `ledger_batches` is null now
-- where there is nothing: no changes, makers or actors, and neither places nor ends where each movement changes all keys of the batch, in their
-- order. The view shows rows from before, which have empty arrays there, as it did.
create or replace view batch_movements with (security_invoker = true) as
  select b.org_id, b.seq, m.idx, b.at, b.kinds[least(m.idx + 1, cardinality(b.kinds))] as kind, m.hold_id,
         case when cardinality(b.key_places) > 0
              then array(select b.keys[p.place] from unnest(b.key_places[m.first:m.last]) with ordinality p (place, number) order by p.number)
              else b.keys
         end as keys,
         coalesce(b.d_spent[m.first_change:m.last_change], '{}') as d_spent,
         coalesce(b.d_held[m.first_change:m.last_change], '{}') as d_held,
         coalesce(b.d_overrun[m.first_change:m.last_change], '{}') as d_overrun,
         coalesce(b.d_late[m.first_change:m.last_change], '{}') as d_late,
         b.actors[least(m.idx + 1, cardinality(b.actors))] as actor, b.reason,
         b.made_by_keys[least(m.idx + 1, cardinality(b.made_by_keys))] as key_id,
         b.made_by_grants[least(m.idx + 1, cardinality(b.made_by_grants))] as grant_id
    from ledger_batches b cross join lateral (
      select (u.number - 1)::integer as idx, u.hold_id, p.first, p.last,
             case when b.changes_by_key then p.first else u.number::integer end as first_change,
             case when b.changes_by_key then p.last else u.number::integer end as last_change
        from unnest(b.hold_ids, b.key_ends) with ordinality u (hold_id, key_end, number) cross join lateral (
             select coalesce(b.key_ends[u.number::integer - 1], (u.number::integer - 1) * cardinality(b.keys)) + 1 as first,
                    coalesce(u.key_end, u.number::integer * cardinality(b.keys)) as last) p) m;

insert into schema_compatibility (migration, min_compatible)
values ('0074_batches_without_empty_arrays', '0072_moves');
