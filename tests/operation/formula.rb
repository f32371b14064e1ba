# Installs by the Homebrew formula without Homebrew: ruby formula.rb FORMULA FILES linux|mac PREFIX
# FILES holds what the formula downloads. It stands in for the few parts of Homebrew's language that the formula uses: a file
# that is missing stops it, and on macOS the commands are printed instead of run.
require "digest"
require "fileutils"
require "pathname"

FORMULA, FILES, SYSTEM, PREFIX = ARGV
PREFIX_PATH = Pathname(PREFIX)

class Pathname
  def install(*files)
    mkpath
    files.flatten.each do |file|
      (file.is_a?(Hash) ? file : { file => File.basename(file) }).each { |from, to| FileUtils.cp(from, self / to) }
    end
  end
end

module OS
  def self.mac? = SYSTEM == "mac"
end

module Utils
  def self.safe_popen_read(*command) = puts("read #{command.join(" ")}") || ""
end

class Service
  def method_missing(name, *values, **options) = puts("service #{name} #{[*values, *options.values].join(" ")}")
  def respond_to_missing?(*) = true
  def opt_bin = PREFIX_PATH / "bin"
  def var = PREFIX_PATH / "var"
end

class Formula
  class << self
    attr_reader :tests

    def desc(text) = (text.length < 80 or abort "the description has #{text.length} letters, of at most 79")
    def homepage(_url) = nil
    def license(_names) = nil
    def depends_on(_name) = nil
    def version(text = nil) = text ? @version = text : @version
    def on_macos = (yield if OS.mac?)
    def on_linux = (yield unless OS.mac?)
    def on_intel = (yield if RUBY_PLATFORM.start_with?("x86_64"))
    def on_arm = (yield if RUBY_PLATFORM.start_with?("aarch64"))
    def url(text) = @url = text
    def service(&block) = Service.new.instance_eval(&block)
    def test(&block) = @tests = block

    def sha256(sum)
      @archive = File.join(FILES, File.basename(@url))
      actual = Digest::SHA256.file(@archive).hexdigest
      sum == actual or abort "#{@archive} has the sum #{actual}, the formula states #{sum}"
    end

    def archive = @archive || abort("the formula names no file for #{SYSTEM} on #{RUBY_PLATFORM}")
  end

  def version = self.class.version
  def bin = PREFIX_PATH / "bin"
  def man1 = PREFIX_PATH / "share/man/man1"
  def bash_completion = PREFIX_PATH / "etc/bash_completion.d"
  def zsh_completion = PREFIX_PATH / "share/zsh/site-functions"
  def fish_completion = PREFIX_PATH / "share/fish/vendor_completions.d"
  def std_cargo_args = ["--locked", "--root=#{PREFIX}", "--path=."]
  def system(*command) = puts("run #{command.join(" ")}")
  def generate_completions_from_executable(*command) = puts("completions #{command.join(" ")}")
  def shell_output(command) = `#{command}`
  def assert_match(expected, text) = (text.include?(expected) or abort "#{text.inspect} does not have #{expected.inspect}")
end

load FORMULA
folder = PREFIX_PATH / "unpacked"
[folder, PREFIX_PATH / "bin", PREFIX_PATH / "share/man/man1"].each(&:mkpath)
Kernel.system("tar", "-xzf", Reviews.archive, "-C", folder.to_s, "--strip-components=1") or abort "no archive"
formula = Reviews.new
Dir.chdir(folder) { formula.install }
formula.instance_eval(&Reviews.tests) unless OS.mac?
