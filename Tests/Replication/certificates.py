"""Certificates for the trials, good ones and bad ones."""
import datetime
import ipaddress
import os
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PEM = serialization.Encoding.PEM


class Certificate:
    """A certificate with its key: an authority's, a server's or a client's. Without an issuer it signs itself."""

    def __init__(self, name, issuer=None, names=("localhost", "127.0.0.1"), days=(-1, 30), is_authority=False,
                 revoked_at=None):
        self.key, self.issuer = ec.generate_private_key(ec.SECP256R1()), issuer
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        signer = issuer or self
        builder = x509.CertificateBuilder().subject_name(subject).public_key(self.key.public_key())
        builder = builder.issuer_name(issuer.certificate.subject if issuer else subject)
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now + datetime.timedelta(days=days[0]))
        builder = builder.not_valid_after(now + datetime.timedelta(days=days[1]))
        builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key()), False)
        if is_authority:
            usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
            builder = builder.add_extension(usage, critical=True)
        else:
            purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
            builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), False)
            builder = builder.add_extension(x509.SubjectAlternativeName([general(each) for each in names]), False)
        if revoked_at:
            point = x509.DistributionPoint([x509.UniformResourceIdentifier(revoked_at)], None, None, None)
            builder = builder.add_extension(x509.CRLDistributionPoints([point]), False)
        self.certificate = builder.sign(signer.key, hashes.SHA256())

    @property
    def pin(self):
        return self.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    def pem(self):
        return self.certificate.public_bytes(PEM)

    def write(self, folder, name, password=None):
        """Writes the certificate, with those between it and its root, and the key."""
        os.makedirs(folder, exist_ok=True)
        chain, step = [self.pem()], self.issuer
        while step is not None and step.issuer is not None:
            chain.append(step.pem())
            step = step.issuer
        lock = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        key = self.key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, lock)
        paths = [os.path.join(folder, f"{name}{end}.pem") for end in ("", "-key")]
        for path, content in zip(paths, (b"".join(chain), key)):
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(content)
        return paths


def general(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def context(files, clients=None, version=None):
    """A server's TLS. `clients` is a file of the authority whose clients are taken; others are turned away."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if version:
        if version < ssl.TLSVersion.TLSv1_2:
            made.set_ciphers("ALL:@SECLEVEL=0")
        made.minimum_version = made.maximum_version = version
    made.load_cert_chain(*files)
    if clients:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(clients)
    return made
