set local lock_timeout = '5s';

-- A foreign key that several organizations claim. Whoever claims one that another organization has, or had, gets a contested claim, which
-- is taken for nothing until an operator decides. An earlier claim that was in use is held: it works on, so that nobody can block it. One
-- that was never used is contested too: nobody can tell whose client would present the key.
alter table foreign_keys
  -- Names the claims to one key: they may be kept under different master keys.
  add column contest_id uuid,
  add column contested_at timestamptz,
  add column held boolean not null default false;
create index foreign_keys_contest on foreign_keys (contest_id) where contest_id is not null;
create index foreign_keys_contested on foreign_keys (contested_at, id) where contested_at is not null;
create policy contesting on foreign_keys for update to current_user using (true) with check (true);
grant update (contest_id, contested_at, held) on foreign_keys to weir_app;

-- The caller behind a foreign key, by any of the hashes that it may be kept as. Contested claims never count, also where they are the only
-- ones left. Processes of an earlier version leave two claims uncontested: then it is nobody's. Of those that have ended, the latest says so.
create or replace function caller_of_foreign_key(wanted bytea[]) returns table (
  foreign_id uuid, foreign_mac_key_id text, foreign_ends_at timestamptz,
  token_id uuid, kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb,
  session_digest bytea, session_idle_seconds integer, session_last_used_at timestamptz, session_expires_at timestamptz,
  session_revoked_at timestamptz, session_created_at timestamptz, session_way text, session_connection_id uuid
)
  language sql stable security definer set search_path = public
  begin atomic
    with claims as (
      select f.id, f.key_id, f.mac_key_id, least(f.ends_at, f.ended_at) as ends_at,
             k.revoked_at is null and least(f.ends_at, f.ended_at, k.expires_at) > clock_timestamp() as is_live
        from foreign_keys f join api_keys k on k.org_id = f.org_id and k.id = f.key_id
       where f.mac = any (wanted) and (f.contested_at is null or f.held)
    ), chosen as (
      select * from claims
       where is_live or not exists (select from claims c where c.is_live)
       order by ends_at desc, id limit 1
    )
    select f.id, f.mac_key_id, f.ends_at, c.*
      from chosen f cross join lateral caller_of_token(f.key_id) c
     where (select count(*) from claims where is_live) <= 1;
  end;

-- Finds which of some foreign keys other organizations have, or had, and contests their claims. A key is its hashes, under one number. Two
-- organizations that claim a key at once take turns, until their transactions end.
create function contest_claims(own uuid, numbers integer[], macs bytea[]) returns table (number integer, contest uuid, others uuid[])
  language plpgsql volatile security definer set search_path = public as $$
begin
  perform pg_advisory_xact_lock(l.k)
     from (select distinct hashtextextended('foreign key ' || encode(m.mac, 'hex'), 0) as k from unnest(macs) as m (mac) order by 1) l;
  perform from foreign_keys f where f.mac = any (macs) and f.org_id <> own order by f.org_id, f.id for no key update;
  return query
    with claims as (
      select a.number, f.org_id, f.id, f.contest_id
        from unnest(numbers, macs) as a (number, mac) join foreign_keys f on f.mac = a.mac where f.org_id <> own
    ), contests as (
      select c.number, coalesce(min(c.contest_id::text)::uuid, gen_random_uuid()) as contest, array_agg(distinct c.org_id) as others
        from claims c group by c.number
    ), marked as (
      update foreign_keys f
         set contest_id = k.contest, held = f.held or (f.contested_at is null and f.uses > 0),
             contested_at = coalesce(f.contested_at, clock_timestamp()), updated_at = clock_timestamp()
        from claims c join contests k on k.number = c.number
       where f.org_id = c.org_id and f.id = c.id
    )
    select k.number, k.contest, k.others from contests k;
end $$;
revoke execute on function contest_claims(uuid, integer[], bytea[]) from public;
grant execute on function contest_claims(uuid, integer[], bytea[]) to weir_app;

-- Decides for one claim: it works on, and whatever is claimed of the same key, by whomever, ends. Returns what ended.
create function award_foreign_key(org uuid, wanted uuid) returns table (ended_org_id uuid, ended_id uuid)
  language plpgsql volatile security definer set search_path = public as $$
declare
  contest uuid;
begin
  select f.contest_id into contest from foreign_keys f where f.org_id = org and f.id = wanted and f.contested_at is not null;
  perform from foreign_keys f where f.contest_id = contest order by f.org_id, f.id for no key update;
  update foreign_keys f set contested_at = null, held = true, updated_at = clock_timestamp()
   where f.org_id = org and f.id = wanted and contest is not null;
  return query
    update foreign_keys f set ended_at = clock_timestamp(), updated_at = clock_timestamp()
     where f.contest_id = contest and not (f.org_id = org and f.id = wanted) and f.ended_at is null
    returning f.org_id, f.id;
end $$;
revoke execute on function award_foreign_key(uuid, uuid) from public;
grant execute on function award_foreign_key(uuid, uuid) to weir_app;

-- A page of the contested claims of all organizations that have not ended, for operators: from the place after one, in either order.
create function contested_foreign_keys(is_descending boolean, after_at timestamptz, after_id uuid, most integer) returns table (
  org_id uuid, id uuid, contest_id uuid, held boolean, uses bigint, last_used_at timestamptz, contested_at timestamptz, created_at timestamptz
)
  language sql stable security definer set search_path = public
  begin atomic
    (select f.org_id, f.id, f.contest_id, f.held, f.uses, f.last_used_at, f.contested_at, f.created_at from foreign_keys f
      where is_descending and f.contested_at is not null and f.ended_at is null
        and (after_at is null or (f.contested_at, f.id) < (after_at, after_id))
      order by f.contested_at desc, f.id desc limit most)
    union all
    (select f.org_id, f.id, f.contest_id, f.held, f.uses, f.last_used_at, f.contested_at, f.created_at from foreign_keys f
      where not is_descending and f.contested_at is not null and f.ended_at is null
        and (after_at is null or (f.contested_at, f.id) > (after_at, after_id))
      order by f.contested_at, f.id limit most);
  end;
revoke execute on function contested_foreign_keys(boolean, timestamptz, uuid, integer) from public;
grant execute on function contested_foreign_keys(boolean, timestamptz, uuid, integer) to weir_app;

-- Claims that meet already: the rule above, as if each had come in its turn.
with claims as (
  select org_id, id, mac, uses, created_at, first_value(id) over w as contest, row_number() over w as place, count(*) over (partition by mac) as claims
    from foreign_keys window w as (partition by mac order by created_at, id)
)
update foreign_keys f
   set contest_id = c.contest, contested_at = clock_timestamp(), held = c.place = 1 and c.uses > 0
  from claims c where c.org_id = f.org_id and c.id = f.id and c.claims > 1;
