set local lock_timeout = '5s';

-- The checks in a row that missed the record of a proved domain, and the time of the last of them.
alter table sso_domains
  add column missed_days integer not null default 0 check (missed_days >= 0),
  add column missed_at timestamptz;

-- The organization that has proved a domain. Another that proves it too asks whether that proof still stands.
create function holder_of_domain(wanted text) returns table (org_id uuid, id uuid)
  language sql stable security definer set search_path = public
  begin atomic
    select d.org_id, d.id from sso_domains d where d.domain = wanted and d.verified_at is not null;
  end;
revoke execute on function holder_of_domain(text) from public;
grant execute on function holder_of_domain(text) to weir_app;

-- Proved domains of all organizations, to be checked again.
create function proved_domains(later_than text, most integer) returns table (org_id uuid, id uuid, domain text)
  language sql stable security definer set search_path = public
  begin atomic
    select d.org_id, d.id, d.domain from sso_domains d
     where d.verified_at is not null and d.domain > later_than order by d.domain limit most;
  end;
revoke execute on function proved_domains(text, integer) from public;
grant execute on function proved_domains(text, integer) to weir_app;
