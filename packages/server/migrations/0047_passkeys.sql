set local lock_timeout = '5s';

-- What proves that somebody is a person: their passkeys and recovery codes. They belong to the person and to no organization, so the
-- application reaches them by an exact id only, through the functions below, and never by a search.
create table passkeys (
  id uuid primary key,
  person_id uuid not null,
  credential_id bytea not null check (length(credential_id) between 16 and 1023),
  public_key bytea not null check (length(public_key) <= 2048),
  counter bigint not null check (counter between 0 and 4294967295),
  is_backup_eligible boolean not null,
  is_backed_up boolean not null,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_person on passkeys (person_id, created_at, id);

create table recovery_codes (
  person_id uuid not null,
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz not null default clock_timestamp(),
  primary key (digest)
);
create index recovery_codes_person on recovery_codes (person_id);

-- Challenges that were answered, until they would have ended by themselves: none is answered twice.
create table passkey_challenges (
  digest bytea primary key check (length(digest) = 32),
  expires_at timestamptz not null
);
create index passkey_challenges_end on passkey_challenges using brin (expires_at);
insert into pruned_rows values
  ('passkeys', $$not exists (select from memberships m where m.person_id = t.person_id)$$),
  ('recovery_codes', $$not exists (select from memberships m where m.person_id = t.person_id)$$),
  ('passkey_challenges', $$t.expires_at < clock_timestamp()$$);
-- A removed membership is looked for as well.
create index memberships_of_anybody on memberships (person_id);
drop index memberships_of_person;

create function passkey_by_credential(wanted bytea) returns setof passkeys
  language sql stable security definer set search_path = public
  begin atomic select p.* from passkeys p where p.credential_id = wanted; end;

create function passkeys_of_person(wanted uuid) returns setof passkeys
  language sql stable security definer set search_path = public
  begin atomic select p.* from passkeys p where p.person_id = wanted order by p.created_at, p.id; end;

-- Adds a passkey; returns nothing when somebody has it, or when the person has too many.
create function add_passkey(
  new_id uuid, new_person_id uuid, new_credential_id bytea, new_public_key bytea, new_counter bigint, new_is_backup_eligible boolean,
  new_is_backed_up boolean, new_name text, most integer
) returns setof passkeys
  language plpgsql volatile security definer set search_path = public as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('passkeys ' || new_person_id, 0));
  if (select count(*) from passkeys p where p.person_id = new_person_id) >= most then return; end if;
  return query
    insert into passkeys (id, person_id, credential_id, public_key, counter, is_backup_eligible, is_backed_up, name)
    values (new_id, new_person_id, new_credential_id, new_public_key, new_counter, new_is_backup_eligible, new_is_backed_up, new_name)
    on conflict do nothing returning *;
end
$$;

-- Notes the use of a passkey. Of two uses with one count only the first is true; an authenticator that does not count says zero.
create function use_passkey(wanted uuid, new_counter bigint, new_is_backed_up boolean) returns boolean
  language sql volatile security definer set search_path = public
  begin atomic
    with used as (
      update passkeys p set counter = new_counter, is_backed_up = new_is_backed_up, last_used_at = clock_timestamp()
       where p.id = wanted and (p.counter < new_counter or (p.counter = 0 and new_counter = 0))
      returning p.id
    )
    select exists (select from used);
  end;

create function rename_passkey(of_person uuid, wanted uuid, new_name text) returns setof passkeys
  language sql volatile security definer set search_path = public
  begin atomic
    update passkeys p set name = new_name where p.person_id = of_person and p.id = wanted returning p.*;
  end;

create index sso_identities_member on sso_identities (org_id, member_id);

-- Removes a passkey, but not the last one where nothing else is left to sign in with: neither a recovery code nor an identity at the
-- provider of an organization.
create function remove_passkey(of_person uuid, wanted uuid) returns setof passkeys
  language plpgsql volatile security definer set search_path = public as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('passkeys ' || of_person, 0));
  return query
    delete from passkeys p where p.person_id = of_person and p.id = wanted and (
      exists (select from passkeys o where o.person_id = of_person and o.id <> wanted)
      or exists (select from recovery_codes c where c.person_id = of_person)
      or exists (select from memberships m join sso_identities i on i.org_id = m.org_id and i.member_id = m.id
                    join sso_connections c on c.org_id = i.org_id and c.id = i.connection_id and c.enabled
                  where m.person_id = of_person and m.removed_at is null and m.deactivated_at is null))
    returning p.*;
end
$$;

create function replace_recovery_codes(of_person uuid, digests bytea[]) returns void
  language plpgsql volatile security definer set search_path = public as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('passkeys ' || of_person, 0));
  delete from recovery_codes c where c.person_id = of_person;
  insert into recovery_codes (person_id, digest) select of_person, unnest(digests);
end
$$;

create function count_recovery_codes(of_person uuid) returns integer
  language sql stable security definer set search_path = public
  begin atomic select count(*)::integer from recovery_codes c where c.person_id = of_person; end;

-- Uses a code up: whoever comes second finds none. Returns whose it was.
create function take_recovery_code(wanted bytea) returns uuid
  language sql volatile security definer set search_path = public
  begin atomic delete from recovery_codes c where c.digest = wanted returning c.person_id; end;

-- Uses a challenge up; false when it was answered before.
create function use_passkey_challenge(wanted bytea, until timestamptz) returns boolean
  language sql volatile security definer set search_path = public
  begin atomic
    with used as (insert into passkey_challenges values (wanted, until) on conflict do nothing returning 1)
    select exists (select from used);
  end;

-- The memberships through which a person may enter: theirs now, of an organization that is not suspended and lets them in without
-- its identity provider.
create function doors_of_person(wanted uuid) returns table (member_id uuid, org_id uuid, org_name text, email text)
  language sql stable security definer set search_path = public
  begin atomic
    select m.id, m.org_id, o.name, m.email
      from memberships m join orgs o on o.id = m.org_id left join session_policies s on s.org_id = m.org_id
     where m.person_id = wanted and m.removed_at is null and m.deactivated_at is null and m.accepted_at is not null
       and o.status = 'active' and coalesce(s.sso, 'optional') = 'optional'
     order by o.name, m.org_id limit 100;
  end;
create policy authentication on session_policies for select to current_user using (true);

do $$
declare
  made text;
begin
  foreach made in array array[
    'passkey_by_credential(bytea)', 'passkeys_of_person(uuid)',
    'add_passkey(uuid, uuid, bytea, bytea, bigint, boolean, boolean, text, integer)', 'use_passkey(uuid, bigint, boolean)',
    'rename_passkey(uuid, uuid, text)', 'remove_passkey(uuid, uuid)', 'replace_recovery_codes(uuid, bytea[])',
    'count_recovery_codes(uuid)', 'take_recovery_code(bytea)', 'use_passkey_challenge(bytea, timestamptz)', 'doors_of_person(uuid)'
  ] loop
    execute format('revoke execute on function %s from public', made);
    execute format('grant execute on function %s to weir_app', made);
  end loop;
end
$$;
