set local lock_timeout = '5s';

-- A refusal looks for leases that are over in its own organization, however many others have.
create index holds_overdue on holds (org_id, expires_at) where state = 'open';

-- Claims the names of starting runs without waiting: where another transaction is claiming one it is answered as busy, and
-- its run is tried again later. A millisecond is the shortest time that PostgreSQL lets anybody wait.
create function try_run_keys(orgs uuid[], names text[], runs uuid[], hashes text[]) returns table (org_id uuid, key text)
  language plpgsql set search_path = public as $$
#variable_conflict use_column
declare
  patience constant text := current_setting('lock_timeout');
  -- So many milliseconds one organization may cost the others of its batch.
  most_misses constant integer := 8;
  misses integer := 0;
  busy text[] := '{}';
  wanted record;
begin
  perform set_config('lock_timeout', '1', true);
  begin
    insert into run_keys (org_id, key, run_id, content_hash, seen_on)
    select k.org, k.name, k.run, decode(k.hash, 'hex'), (clock_timestamp() at time zone 'UTC')::date
      from unnest(orgs, names, runs, hashes) with ordinality as k (org, name, run, hash, place)
     order by k.org, k.name collate "C", k.place
    on conflict do nothing;
    perform set_config('lock_timeout', patience, true);
    return;
  exception when lock_not_available then
    null;
  end;
  -- Somebody is in the way: one by one, to learn of whom. In the order in which they came, those that were busy before last.
  for wanted in
    select k.org, k.name, k.run, k.hash, k.org::text || k.name as whole,
           lag(k.org) over (order by k.org, k.place) is distinct from k.org as is_next_org
      from unnest(orgs, names, runs, hashes) with ordinality as k (org, name, run, hash, place)
     order by k.org, k.place
  loop
    if wanted.is_next_org then misses := 0; end if;
    begin
      if misses >= most_misses or wanted.whole = any(busy) then raise lock_not_available; end if;
      insert into run_keys (org_id, key, run_id, content_hash, seen_on)
      values (wanted.org, wanted.name, wanted.run, decode(wanted.hash, 'hex'), (clock_timestamp() at time zone 'UTC')::date)
      on conflict do nothing;
    exception when lock_not_available then
      if wanted.whole <> all(busy) then
        misses := misses + 1;
        busy := busy || wanted.whole;
      end if;
      org_id := wanted.org;
      key := wanted.name;
      return next;
    end;
  end loop;
  perform set_config('lock_timeout', patience, true);
end
$$;
revoke execute on function try_run_keys(uuid[], text[], uuid[], text[]) from public;
grant execute on function try_run_keys(uuid[], text[], uuid[], text[]) to weir_app;
