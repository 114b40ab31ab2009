set local lock_timeout = '5s';

-- What keys have left unreported, released, overrun or reported late, by day (UTC); a key with its rotations is its lineage.
create table key_reporting (
  org_id uuid not null references orgs (id),
  day date not null,
  lineage_id uuid not null,
  unreported_runs bigint not null,
  unreported_nano numeric not null,
  released_runs bigint not null,
  released_nano numeric not null,
  overrun_runs bigint not null,
  overrun_nano numeric not null,
  late_runs bigint not null,
  late_nano numeric not null,
  -- The largest cost of a run with overrun, or that was late.
  dearest_nano bigint not null,
  -- The least that is held for a call of the key until the day ends, once its overrun has passed the maximum.
  floor_nano bigint,
  told_unreported boolean not null default false,
  primary key (org_id, day, lineage_id)
);
call protect_tenant_table('key_reporting');
grant select, insert, update on key_reporting to weir_app;
create policy pruning on key_reporting for all to current_user using (true);
create index key_reporting_day on key_reporting using brin (day);
insert into pruned_rows values ('key_reporting', $$t.day < (clock_timestamp() at time zone 'UTC')::date - 400$$);

alter table trust_settings add column max_overrun_nano bigint check (max_overrun_nano >= 0);

-- Organizations whose keys have left something unreported that nobody was told of, or overrun that may have passed a maximum: the
-- one look of the job across tenants, which sees ids only.
create function orgs_with_unwatched_reporting(most integer) returns table (org_id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select distinct r.org_id from key_reporting r
     where r.day >= (clock_timestamp() at time zone 'UTC')::date - 1
       and ((r.unreported_runs > 0 and not r.told_unreported)
            or ((r.floor_nano is null or r.floor_nano < r.dearest_nano) and exists (
                  select from trust_settings t
                   where t.org_id = r.org_id and t.subject_id in (r.org_id, r.lineage_id) and r.overrun_nano + r.late_nano > t.max_overrun_nano)))
     limit most;
  end;
revoke execute on function orgs_with_unwatched_reporting(integer) from public;
grant execute on function orgs_with_unwatched_reporting(integer) to weir_app;
create policy watching on trust_settings for select to current_user using (true);
